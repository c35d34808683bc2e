import { NativeSelect, TextInput } from '@mantine/core';
import type { NativeSelectProps, TextInputProps } from '@mantine/core';

/** An input that reports values instead of events. */
type Plain<Props> = Omit<Props, 'onChange'> & { onChange: (value: string) => void };

export const Select = ({ onChange, ...props }: Plain<NativeSelectProps>) => (
  <NativeSelect {...props} onChange={(event) => onChange(event.currentTarget.value)} />
);

export const Input = ({ onChange, ...props }: Plain<TextInputProps>) => (
  <TextInput {...props} onChange={(event) => onChange(event.currentTarget.value)} />
);
