/** Saves the costs or the ledger of a period as CSV. */
import { useChange } from '../../api/read.ts'
import { Button } from '../../components/index.ts'
import { saveFile } from '../../components/save-file.ts'
import { zoneName } from '../../components/zone.ts'
import { useOrg } from '../../shell/organization.ts'
import type { Period } from './periods.ts'

type Saved = { period: Period; what: 'costs' | 'ledger' }

export function SaveCsv({ period, what }: Saved) {
  const { id: org_id } = useOrg()
  const query = new URLSearchParams({ org_id, ...period, time_zone: zoneName() }).toString()
  const save = useChange<void, { csv: string }>(
    () => ({ method: 'GET', path: `/console/api/${what}/export?${query}` }),
    {
      onSuccess: ({ csv }) =>
        saveFile(new Blob([csv], { type: 'text/csv' }), `${what}-${period.from}-${period.to}.csv`),
    },
  )
  return (
    <Button busy={save.isPending} onClick={() => save.mutate()}>
      Save the {what} as CSV
    </Button>
  )
}
