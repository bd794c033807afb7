/** Downloads the logs of the view as a file that is put together in the memory of the browser. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { LogPage } from '../../../../../src/modules/edge/logs/schema.ts'
import { ApiError } from '../../../api/client.ts'
import {
  Actions,
  Button,
  Dialog,
  Loaded,
  Notice,
  numberText,
  Progress,
} from '../../../components/index.ts'
import { saveFile } from '../../../components/save-file.ts'
import { useSession } from '../../../session/context.ts'
import type { Session } from '../../../session/session.ts'
import { LOGS_PATH, type ScopedLogQuery } from '../queries.ts'
import { FORMATS, type Format, fileHead, fileLines, fileType } from './download.ts'

const PAGE_SIZE = 1000
const LOGS_MAX = 20_000

type Loaded = { loaded: number; total: number }

export type DownloadDialogProps = { query: ScopedLogQuery; onClose: () => void }

export function DownloadDialog({ query, onClose }: DownloadDialogProps) {
  const session = useSession()
  const [progress, setProgress] = useState<Loaded>()
  const [problem, setProblem] = useState<string>()
  const leaving = useRef(new AbortController())
  useEffect(() => () => leaving.current.abort(), [])
  const start = async (format: Format) => {
    const { signal } = leaving.current
    setProblem(undefined)
    setProgress({ loaded: 0, total: 0 })
    try {
      const parts = await readAll({ session, query, format, signal, onProgress: setProgress })
      saveFile(new Blob(parts, { type: fileType(format) }), `logs.${format}`)
      onClose()
    } catch (error) {
      if (signal.aborted) return
      setProgress(undefined)
      setProblem(error instanceof ApiError ? error.message : 'The file could not be created')
    }
  }
  return (
    <Dialog title="Download logs" onClose={onClose}>
      <div class="stack">
        <p>
          Downloads up to {numberText(LOGS_MAX)} of the newest logs in this view. CSV opens in
          spreadsheets. NDJSON has one log per line with all its fields.
        </p>
        {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
        {progress ? (
          <Progress
            label={`${numberText(progress.loaded)} of ${progress.total === 0 ? '…' : numberText(progress.total)} logs`}
            {...(progress.total > 0 && { value: progress.loaded, max: progress.total })}
          />
        ) : (
          <Actions>
            {FORMATS.map((format) => (
              <Button key={format} onClick={() => void start(format)}>
                {format.toUpperCase()}
              </Button>
            ))}
          </Actions>
        )}
      </div>
    </Dialog>
  )
}

async function readAll(options: {
  session: Session
  query: ScopedLogQuery
  format: Format
  signal: AbortSignal
  onProgress: (progress: Loaded) => void
}): Promise<string[]> {
  const { session, format, signal, onProgress } = options
  const parts = [fileHead(format)]
  for (let page = 1; page <= LOGS_MAX / PAGE_SIZE; page += 1) {
    const query = { ...options.query, page, limit: PAGE_SIZE }
    const { logs, pagination } = await session.call<LogPage>({ path: LOGS_PATH, query, signal })
    parts.push(fileLines(format, logs))
    const total = Math.min(pagination.total, LOGS_MAX)
    onProgress({ loaded: Math.min(total, page * PAGE_SIZE), total })
    if (page >= pagination.pages) break
  }
  return parts
}
