/** The three reports as CSV files. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, type Query } from '../../../api/client.ts'
import { Button, bytesText, Section } from '../../../components/index.ts'
import { useSession } from '../../../session/context.ts'
import { useOrg } from '../../../shell/organization.ts'
import { nameOf, saveAs } from './download.ts'
import styles from './reports.module.css'

/** @param action filters the entries of the audit log */
export function Reports({ action }: { action: string }) {
  const { id: org_id } = useOrg()
  return (
    <Section title="Reports (CSV)">
      <ul class={styles['reports']}>
        <Report
          title="Fleet inventory"
          note="All devices but deleted ones, with what they are and what is noted."
          path="/v1/mdm/reports/fleet-inventory.csv"
          query={{ org_id }}
        />
        <Report
          title="Compliance summary"
          note="Whether each device complies, and with which settings it does not."
          path="/v1/mdm/reports/compliance-summary.csv"
          query={{ org_id }}
        />
        <Report
          title="Audit log"
          note={action === '' ? 'All entries.' : `All entries of ${action}.`}
          path="/v1/mdm/audit-log/export.csv"
          query={{ org_id, action }}
        />
      </ul>
    </Section>
  )
}

type Progress = { state: 'none' | 'under_way' | 'saved'; bytes: number; error?: string }
type ReportProps = { title: string; note: string; path: string; query: Query }

const NOTHING: Progress = { state: 'none', bytes: 0 }
const BROKEN_OFF = 'The file broke off before its end, and nothing was saved. Try again.'

function Report({ title, note, path, query }: ReportProps) {
  const session = useSession()
  const [{ state, bytes, error }, setProgress] = useState(NOTHING)
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  const isUnderWay = state === 'under_way'

  const download = async () => {
    const controller = new AbortController()
    abort.current = controller
    setProgress({ state: 'under_way', bytes: 0 })
    try {
      const response = await session.open({ path, query, signal: controller.signal })
      const fallback = path.slice(path.lastIndexOf('/') + 1)
      const all = await saveAs(response, nameOf(response, fallback), (sofar) =>
        setProgress({ state: 'under_way', bytes: sofar }),
      )
      setProgress({ state: 'saved', bytes: all })
    } catch (fault) {
      if (controller.signal.aborted) setProgress(NOTHING)
      else
        setProgress({ ...NOTHING, error: fault instanceof ApiError ? fault.message : BROKEN_OFF })
    }
  }

  return (
    <li>
      <div>
        <strong>{title}</strong>
        <div class="muted">{note}</div>
      </div>
      <span class={styles['state']} role="status">
        {isUnderWay && `${bytesText(bytes)} so far`}
        {state === 'saved' && `saved, ${bytesText(bytes)}`}
        {error !== undefined && <span class="form-fault">{error}</span>}
      </span>
      <span class="actions">
        {isUnderWay && (
          <Button size="small" onClick={() => abort.current?.abort()}>
            Cancel
          </Button>
        )}
        <Button
          size="small"
          busy={isUnderWay}
          aria-label={`Download ${title}`}
          onClick={() => void download()}
        >
          Download
        </Button>
      </span>
    </li>
  )
}
