import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, type Query } from '../../../api/client.ts'
import { Button, bytesText, Section } from '../../../components/index.ts'
import { saveFile } from '../../../components/save-file.ts'
import { useSession } from '../../../session/context.ts'
import { useOrg } from '../../../shell/organization.ts'
import styles from './reports.module.css'

export function Reports({ action }: { action: string }) {
  const { id: org_id } = useOrg()
  return (
    <Section title="Reports (CSV)">
      <ul class={styles['reports']}>
        <Report
          title="Fleet inventory"
          note="All devices except deleted ones, with their properties and inventory details."
          path="/v1/mdm/reports/fleet-inventory.csv"
          query={{ org_id }}
        />
        <Report
          title="Compliance summary"
          note="The compliance state of each device and the settings it violates."
          path="/v1/mdm/reports/compliance-summary.csv"
          query={{ org_id }}
        />
        <Report
          title="Audit log"
          note={action === '' ? 'All entries.' : `All entries with the action ${action}.`}
          path="/v1/mdm/audit-log/export.csv"
          query={{ org_id, action }}
        />
      </ul>
    </Section>
  )
}

type Progress = { state: 'idle' | 'loading' | 'saved'; bytes: number; error?: string }
type ReportProps = { title: string; note: string; path: string; query: Query }

const IDLE: Progress = { state: 'idle', bytes: 0 }
const INTERRUPTED = 'The download was interrupted and nothing was saved. Try again.'

function Report({ title, note, path, query }: ReportProps) {
  const session = useSession()
  const [{ state, bytes, error }, setProgress] = useState(IDLE)
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  const isLoading = state === 'loading'

  const download = async () => {
    const controller = new AbortController()
    abort.current = controller
    setProgress({ state: 'loading', bytes: 0 })
    try {
      const response = await session.open({ path, query, signal: controller.signal })
      const file = await read(response, (loaded) =>
        setProgress({ state: 'loading', bytes: loaded }),
      )
      saveFile(file, fileName(response) ?? path.slice(path.lastIndexOf('/') + 1))
      setProgress({ state: 'saved', bytes: file.size })
    } catch (fault) {
      if (controller.signal.aborted) setProgress(IDLE)
      else setProgress({ ...IDLE, error: fault instanceof ApiError ? fault.message : INTERRUPTED })
    }
  }

  return (
    <li>
      <div>
        <strong>{title}</strong>
        <div class="muted">{note}</div>
      </div>
      <span class={styles['state']} role="status">
        {isLoading && `${bytesText(bytes)} downloaded`}
        {state === 'saved' && `Saved, ${bytesText(bytes)}`}
        {error !== undefined && <span class="form-fault">{error}</span>}
      </span>
      <span class="actions">
        {isLoading && (
          <Button size="small" onClick={() => abort.current?.abort()}>
            Cancel
          </Button>
        )}
        <Button
          size="small"
          busy={isLoading}
          aria-label={`Download ${title}`}
          onClick={() => void download()}
        >
          Download
        </Button>
      </span>
    </li>
  )
}

/** @throws when the response is cut off, so that no partial file is saved */
async function read(response: Response, onProgress: (bytes: number) => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const reader = response.body?.getReader()
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (done || !value) break
    parts.push(value)
    bytes += value.byteLength
    onProgress(bytes)
  }
  return new Blob(parts, { type: 'text/csv;charset=utf-8' })
}

const fileName = (response: Response): string | undefined =>
  /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
