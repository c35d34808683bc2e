import { Argument } from 'commander';
import type { Command } from 'commander';

const SCRIPTS = {
  bash: `_dt() { COMPREPLY=($(compgen -W "$(dt __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}")); }
complete -o default -F _dt dt dtplatform`,
  zsh: `#compdef dt dtplatform
_dt() { local -a words_found; words_found=("\${(@f)$(dt __complete -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)}"); compadd -a words_found; _files; }
compdef _dt dt dtplatform`,
  fish: `complete -c dt -a '(dt __complete -- (commandline -opc)[2..] 2>/dev/null)'
complete -c dtplatform -a '(dt __complete -- (commandline -opc)[2..] 2>/dev/null)'`,
};

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
    .description('print a script that completes commands: source <(dt completion bash)')
    .action((shell: keyof typeof SCRIPTS) => void process.stdout.write(`${SCRIPTS[shell]}\n`));
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action((words: string[]) => void process.stdout.write(`${candidates(program, words).join('\n')}\n`));
}

/** The possible next words: values of the last option, or subcommands, options and arguments of the command so far. */
function candidates(program: Command, words: string[]): string[] {
  let command = program;
  for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command;
  const all = [...command.options, ...program.options];
  const values = all.find(({ long }) => long === words.at(-1))?.argChoices;
  if (values) return values;
  const names = command.commands.map((each) => each.name()).filter((name) => !name.startsWith('__'));
  const args = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const options = [...new Set(all.flatMap(({ long }) => long ?? []))];
  return [...names, ...args, ...options, '--help'];
}
