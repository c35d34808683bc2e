/** Velocity's own directives, also in braces (`#{else}`). Another word after `#`, such as a colour, is text. */
const DIRECTIVE =
  /#(?:(?:set|if|elseif|else|end|foreach|macro|parse|include|evaluate|define|break|stop)(?![A-Za-z0-9_])|\{(?:set|if|elseif|else|end|foreach|macro|parse|include|evaluate|define|break|stop)\})/;

/** Whether a template holds a directive, which the platform does not run. */
export const hasDirective = (text: string): boolean => DIRECTIVE.test(text);
