/** The logs of the view as a file, as far as a browser keeps them in memory. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { LogPage } from '../../../../../src/modules/edge/logs/schema.ts'
import { ApiError } from '../../../api/client.ts'
import { Actions, Button, Dialog, Notice, numberText, Progress } from '../../../components/index.ts'
import { useSession } from '../../../session/context.ts'
import type { Session } from '../../../session/session.ts'
import type { AskedLogs } from '../view.ts'
import { FORMATS, type Format, fileHead, fileLines, fileType } from './download.ts'
import { LOGS_PATH, type LogScope } from './scope.ts'

const PAGE_SIZE = 1000
const LOGS_MAX = 20_000

type Told = { done: number; of: number }

export type DownloadDialogProps = { asked: LogScope & AskedLogs; onClose: () => void }

export function DownloadDialog({ asked, onClose }: DownloadDialogProps) {
  const session = useSession()
  const [told, setTold] = useState<Told>()
  const [problem, setProblem] = useState<string>()
  const leaving = useRef(new AbortController())
  useEffect(() => () => leaving.current.abort(), [])
  const start = async (format: Format) => {
    const { signal } = leaving.current
    setProblem(undefined)
    setTold({ done: 0, of: 0 })
    try {
      const parts = await readAll({ session, asked, format, signal, tell: setTold })
      save(new Blob(parts, { type: fileType(format) }), `logs.${format}`)
      onClose()
    } catch (error) {
      if (signal.aborted) return
      setTold(undefined)
      setProblem(error instanceof ApiError ? error.message : 'The file could not be made')
    }
  }
  return (
    <Dialog title="Download these logs" onClose={onClose}>
      <div class="stack">
        <p>
          The newest {numberText(LOGS_MAX)} logs of this view at most. CSV opens in spreadsheets;
          NDJSON has one log per line with everything that is known of it.
        </p>
        {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
        {told ? (
          <Progress
            label={`${numberText(told.done)} of ${told.of === 0 ? '…' : numberText(told.of)} logs`}
            {...(told.of > 0 && { value: told.done, max: told.of })}
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
  asked: AskedLogs
  format: Format
  signal: AbortSignal
  tell: (told: Told) => void
}): Promise<string[]> {
  const { session, asked, format, signal, tell } = options
  const parts = [fileHead(format)]
  for (let page = 1; page <= LOGS_MAX / PAGE_SIZE; page += 1) {
    const query = { ...asked, page, limit: PAGE_SIZE }
    const { logs, pagination } = await session.call<LogPage>({ path: LOGS_PATH, query, signal })
    parts.push(fileLines(format, logs))
    const of = Math.min(pagination.total, LOGS_MAX)
    tell({ done: Math.min(of, page * PAGE_SIZE), of })
    if (page >= pagination.pages) break
  }
  return parts
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), TAKEN_MS)
}

/** The browser has begun to take the file by then. */
const TAKEN_MS = 10_000
