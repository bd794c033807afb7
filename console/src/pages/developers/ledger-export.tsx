/** Saves the ledger of a period as CSV. */
import { useChange } from '../../api/read.ts'
import { Button } from '../../components/index.ts'
import { saveFile } from '../../components/save-file.ts'
import { zoneName } from '../../components/zone.ts'
import { useOrg } from '../../shell/organization.ts'
import type { Period } from './periods.ts'

export function LedgerExport({ period }: { period: Period }) {
  const { id: org_id } = useOrg()
  const query = new URLSearchParams({ org_id, ...period, time_zone: zoneName() }).toString()
  const save = useChange<void, { csv: string }>(
    () => ({ method: 'GET', path: `/console/api/ledger/export?${query}` }),
    {
      onSuccess: ({ csv }) =>
        saveFile(new Blob([csv], { type: 'text/csv' }), `ledger-${period.from}-${period.to}.csv`),
    },
  )
  return (
    <Button busy={save.isPending} onClick={() => save.mutate()}>
      Save the ledger as CSV
    </Button>
  )
}
