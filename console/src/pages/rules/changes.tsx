import { numberText, Table } from '../../components/index.ts'
import type { Changed } from './draft.ts'

const DIGITS = { digits: 6 }

type ChangesProps = { label: string; changes: readonly Changed[]; labels: [string, string] }

/** The differences between two sets of rules. @param labels of the two value columns */
export function Changes({ label, changes, labels: [fromLabel, toLabel] }: ChangesProps) {
  return (
    <Table
      label={label}
      rows={changes}
      keyOf={({ field }) => field}
      columns={[
        { label: 'Section', cell: ({ section }) => section },
        { label: 'Parameter', cell: ({ label: name }) => name },
        { label: fromLabel, isNumber: true, cell: ({ from }) => numberText(from, DIGITS) },
        {
          label: toLabel,
          isNumber: true,
          cell: ({ to }) => <strong>{numberText(to, DIGITS)}</strong>,
        },
      ]}
    />
  )
}
