#compdef limb
# zsh completion of limb: limb completion zsh > a folder of $fpath/_limb
_limb() {
  local line files=
  local -a found more
  for line in "${(@f)$(${words[1]} completion words -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
    $'\t,') more=(-S '') ;;
    $'\t'*) files=${line#?} ;;
    ?*) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( $#found )) && _describe word found $more
  [[ $files == any ]] && _files
  [[ $files == *'|'* ]] && _files -g "*.($files)"
}
if [[ $funcstack[1] == _limb ]]; then
  _limb "$@"
else
  compdef _limb limb
fi
