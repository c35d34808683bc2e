import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useText } from '../frame';
import { choicesOf, kindOf, OTHERS } from './parameters';
import type { ComponentSchema, ParameterSchema, Typed } from './parameters';

interface ParametersProps {
  schema: ComponentSchema;
  typed: Typed;
  onChange: (typed: Typed) => void;
  /** Whether required parameters may be empty. */
  mayMiss: boolean;
}

/** A field for each parameter of a component, made from its JSON Schema. */
export function ParameterFields({ schema, typed, onChange, mayMiss }: ParametersProps) {
  const { text } = useText();
  const { properties = {}, required = [], additionalProperties } = schema;
  const hasOthers = additionalProperties !== false || typed[OTHERS] !== undefined;
  const fields = Object.entries(properties).map(([name, property]) => ({ name, label: name, property }));
  const others = { name: OTHERS, label: text('steps.others'), property: { description: text('steps.othersHelp') } };
  return [...fields, ...(hasOthers ? [others] : [])].map(({ name, label, property }) => (
    <ParameterField
      key={name}
      label={label}
      schema={property}
      isRequired={!mayMiss && required.includes(name)}
      typed={typed[name] ?? ''}
      onChange={(value) => onChange({ ...typed, [name]: value })}
    />
  ));
}

interface FieldProps {
  label: string;
  schema: ParameterSchema;
  isRequired: boolean;
  typed: string;
  onChange: (typed: string) => void;
}

function ParameterField({ label, schema, isRequired, typed, onChange }: FieldProps) {
  const { text } = useText();
  const kind = kindOf(schema);
  const shown = (value: unknown) => (typeof value === 'string' && value.trim() ? value : JSON.stringify(value));
  const unset =
    schema.default === undefined ? text('steps.unset') : text('steps.default', { value: shown(schema.default) });
  const shared = {
    label,
    description: schema.description ?? (kind === 'json' ? text('steps.jsonHelp') : undefined),
    required: isRequired,
    value: typed,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  if (kind === 'choice') {
    const data = choicesOf(schema)!.map((value) => ({ value: JSON.stringify(value), label: shown(value) }));
    return <NativeSelect {...shared} data={[{ value: '', label: unset }, ...data]} />;
  }
  if (kind === 'json') return <Textarea {...shared} rows={4} spellCheck={false} className="code" />;
  // An input would drop line breaks.
  const { minimum: min, maximum: max, minLength, maxLength, type } = schema;
  if (typed.includes('\n')) return <Textarea {...shared} {...{ minLength, maxLength }} rows={6} />;
  const number = kind === 'number' && { type: 'number', min, max, step: type === 'integer' ? 1 : 'any' };
  const length = kind === 'text' && { minLength, maxLength };
  return (
    <TextInput {...shared} {...number} {...length} placeholder={schema.default === undefined ? undefined : unset} />
  );
}
