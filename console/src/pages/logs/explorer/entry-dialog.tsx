import type { ComponentChildren } from 'preact'
import type { LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import { Icon } from '../../../components/icon.tsx'
import {
  Actions,
  Badge,
  Button,
  CodeBlock,
  Copyable,
  CopyButton,
  Dialog,
  durationText,
  Facts,
  JsonBlock,
  Time,
  type Tone,
  wordsOf,
} from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { type Level, type ValueFilter, viewAround, viewEntries } from '../view.ts'
import { EntryContext } from './entry-context.tsx'
import styles from './explorer.module.css'

type FilterName = ValueFilter | 'level' | 'error_type' | 'error_code'
export type OnFilter = (name: FilterName, value: string) => void

export type EntryDialogProps = {
  entry: LogRecord
  onClose: () => void
  onFilter?: OnFilter
  /** Whether the list begins with the oldest entry. */
  isOldestFirst?: boolean
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
}

type Fact = Parameters<typeof Facts>[0]['facts'][number]

export const LEVEL_TONES: Record<Level, Tone> = {
  debug: 'neutral',
  info: 'info',
  warn: 'warn',
  error: 'bad',
  fatal: 'bad',
}

export function EntryDialog(props: EntryDialogProps) {
  const { entry, onClose, onFilter, isOldestFirst = false, onPrevious, onNext } = props
  const { error, data } = entry
  const filter =
    onFilter &&
    ((name: FilterName, value: string) => {
      onClose()
      onFilter(name, value)
    })
  return (
    <Dialog title="Log entry" place="side" onClose={onClose}>
      <div class="stack">
        <Actions>
          <Button size="small" onClick={onPrevious} disabled={!onPrevious}>
            <Icon sign="up" /> {isOldestFirst ? 'Older' : 'Newer'}
          </Button>
          <Button size="small" onClick={onNext} disabled={!onNext}>
            <Icon sign="down" /> {isOldestFirst ? 'Newer' : 'Older'}
          </Button>
          <CopyButton text={JSON.stringify(entry, null, 2)} label="Copy as JSON" />
        </Actions>
        <CodeBlock text={entry.message} label="Message" />
        <Facts facts={factsOf(entry, filter)} />
        {error?.stack && (
          <div>
            <h3>Stack trace</h3>
            <CodeBlock text={error.stack} label="Stack trace" />
          </div>
        )}
        {data && (
          <div>
            <h3>Data</h3>
            <JsonBlock value={data} label="Data" />
          </div>
        )}
        <EntryContext entry={entry} />
      </div>
    </Dialog>
  )
}

function factsOf(entry: LogRecord, onFilter: OnFilter | undefined): Fact[] {
  const { level, device_id, error, trace_id, span_id, error_fingerprint } = entry
  const filtered = (name: FilterName, value: string | null, content?: ComponentChildren) =>
    value === null ? null : (
      <span class={styles['value']}>
        <span>{content ?? value}</span>
        {onFilter && (
          <Button size="small" kind="quiet" onClick={() => onFilter(name, value)}>
            Filter <span class="visually-hidden">by this {wordsOf(name)}</span>
          </Button>
        )}
      </span>
    )
  return [
    ['Level', filtered('level', level, <Badge tone={LEVEL_TONES[level]}>{level}</Badge>)],
    ['Time', <Time at={entry.timestamp} as="exact" />],
    ['Ingested', <IngestTime entry={entry} />],
    [
      'Device',
      filtered(
        'device_id',
        device_id,
        <PageLink to="/logs/device" query={{ device_id }}>
          {device_id}
        </PageLink>,
      ),
    ],
    ['Category', filtered('category', entry.category)],
    ['Environment', filtered('environment', entry.environment)],
    error !== null && ['Error type', filtered('error_type', error.type)],
    error !== null && ['Error code', filtered('error_code', error.code)],
    error_fingerprint !== null && [
      'Error group',
      filtered(
        'error_fingerprint',
        error_fingerprint,
        <PageLink to={`/logs/errors/${encodeURIComponent(error_fingerprint)}`}>
          {error_fingerprint}
        </PageLink>,
      ),
    ],
    ['Tags', entry.tags.length === 0 ? null : <Tags tags={entry.tags} />],
    [
      'Trace',
      trace_id === null ? null : (
        <span class={styles['value']}>
          <Copyable text={trace_id} />
          <PageLink to="/logs/trace" query={{ trace_id, at: entry.timestamp }}>
            View trace
          </PageLink>
        </span>
      ),
    ],
    ['Span', span_id === null ? null : <Copyable text={span_id} />],
    ['ID', <Copyable text={entry.id} />],
    [
      'Context',
      <PageLink to="/logs" query={viewEntries(viewAround(entry))}>
        Logs of this device within one minute
      </PageLink>,
    ],
  ]
}

export const Tags = ({ tags }: { tags: readonly string[] }) => (
  <span class={styles['tags']}>
    {tags.map((tag, index) => (
      <Badge key={index}>{tag}</Badge>
    ))}
  </span>
)

/** A shorter delay is normal for a log on its way. */
const DELAY_SHOWN_MS = 60_000

function IngestTime({ entry: { timestamp, received_at } }: { entry: LogRecord }) {
  const delay = Date.parse(received_at) - Date.parse(timestamp)
  return (
    <>
      <Time at={received_at} as="exact" />
      {delay > DELAY_SHOWN_MS && <span class="muted"> ({durationText(delay)} later)</span>}
      {delay < -DELAY_SHOWN_MS && (
        <span class="muted"> (the device clock is {durationText(-delay)} ahead)</span>
      )}
    </>
  )
}
