# bash completion of limb: source <(limb completion bash)
_limb() {
  local cur=${COMP_WORDS[COMP_CWORD]} line file
  [[ $cur == = ]] && cur=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
    $'\t,') compopt -o nospace ;;
    $'\t'*)
      compopt -o filenames
      while IFS= read -r file; do
        [[ $line == $'\tany' || -d $file || $file =~ \.(${line#?})$ ]] && COMPREPLY+=("$file")
      done < <(compgen -f -- "$cur") ;;
    *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _limb limb
