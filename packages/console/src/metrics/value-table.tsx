import { Button, Title } from '@mantine/core';
import { useText } from '../frame';
import { Table } from '../ui';
import { useMetricTexts } from './use-metric-texts';

interface ValueTableProps {
  title: string;
  values: { metricName: string; value: number }[];
  onChoose: (metric: string) => void;
  /** Whether the values are parts of a whole. */
  hasShares?: boolean;
}

/** Values of metrics in the given order. A name leads to its plot. */
export function ValueTable({ title, values, onChoose, hasShares = false }: ValueTableProps) {
  const { text, language } = useText();
  const { nameOf, write } = useMetricTexts();
  const total = values.reduce((sum, { value }) => sum + value, 0);
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumSignificantDigits: 2 });
  const share = (value: number) => (
    <>
      <span className="share" aria-hidden>
        <span style={{ width: `${(100 * value) / total}%` }} />
      </span>
      {percent.format(value / total)}
    </>
  );
  const rows = values.map(({ metricName, value }) => ({
    key: metricName,
    cells: [
      <Button variant="transparent" size="compact-sm" p={0} onClick={() => onChoose(metricName)}>
        {nameOf(metricName)}
      </Button>,
      write(metricName, value),
      ...(hasShares ? [share(value)] : []),
    ],
  }));
  const sum = { key: 'total', cells: [text('metrics.total'), write(values[0]!.metricName, total), ''] };
  return (
    <section>
      <Title order={3} size="h4">
        {title}
      </Title>
      <Table
        label={title}
        head={[text('form.name'), text('list.value'), ...(hasShares ? [text('metrics.share')] : [])]}
        rows={hasShares ? [...rows, sum] : rows}
      />
    </section>
  );
}
