# fish completion of limb: limb completion fish > ~/.config/fish/completions/limb.fish
function _limb
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] completion words -- $words[2..-1] 2>/dev/null)
    switch $line
      case \t,
      case \tany
        __fish_complete_path (commandline -ct)
      case \t'*'
        for ending in (string split '|' (string sub -s 2 -- $line))
          __fish_complete_suffix .$ending
        end
      case '*'
        echo $line
    end
  end
end
complete -c limb -k -f -a '(_limb)'
