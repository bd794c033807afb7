/** A dialog that reports what orders turned out to be, from a file of the payment provider. */
import { useState } from 'preact/hooks'
import type { ImportedOutcomes } from '../../../../src/modules/reviews/outcomes/schema.ts'
import { useChange } from '../../api/read.ts'
import { CsvField } from '../../components/csv-field.tsx'
import { Button, FormDialog, Notice } from '../../components/index.ts'
import { saveFile } from '../../components/save-file.ts'
import { useScope } from '../../shell/organization.ts'

const SHOWN_MAX = 20

export function ImportOutcomes({ onClose }: { onClose: () => void }) {
  const scope = useScope()
  const [csv, setCsv] = useState('')
  const [result, setResult] = useState<ImportedOutcomes>()
  const load = useChange<void, ImportedOutcomes>(
    () => ({ method: 'POST', path: '/console/api/outcomes/import', body: { ...scope, csv } }),
    {
      invalidates: ['/console/api/orders', '/console/api/reviews', '/console/api/cases'],
      onSuccess: setResult,
      quiet: true,
    },
  )
  return (
    <FormDialog
      title="Report outcomes"
      action="Report"
      change={load}
      disabled={csv === ''}
      onClose={onClose}
    >
      <p>
        A CSV file with the columns <code>external_order_id</code>, <code>kind</code> (
        <code>fraud</code>, <code>legitimate</code> or <code>chargeback</code>) and{' '}
        <code>date</code>, for chargebacks also <code>reason_code</code>, and optionally{' '}
        <code>note</code>. Each line becomes the decision about its order. A file can be sent again.
      </p>
      <CsvField onText={setCsv} />
      {result && <Result result={result} />}
    </FormDialog>
  )
}

function Result({ result: { decided, unchanged, refused } }: { result: ImportedOutcomes }) {
  const save = () => {
    const lines = refused.map((fault) => `${JSON.stringify(fault)}\n`)
    saveFile(new Blob(lines, { type: 'application/x-ndjson' }), 'outcomes.refused.ndjson')
  }
  return (
    <Notice tone={refused.length > 0 ? 'warn' : 'good'}>
      <p>
        {decided} decided, {unchanged} known already, {refused.length} refused.
      </p>
      <ul>
        {refused.slice(0, SHOWN_MAX).map(({ line, message }) => (
          <li key={line}>
            Line {line}: {message}
          </li>
        ))}
      </ul>
      {refused.length > 0 && (
        <Button size="small" onClick={save}>
          Save the refused lines
        </Button>
      )}
    </Notice>
  )
}
