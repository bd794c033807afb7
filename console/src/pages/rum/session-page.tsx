import { useState } from 'preact/hooks'
import type {
  RumSessionTimeline,
  RumTimelineEvent,
} from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  Badge,
  Button,
  countText,
  DetailPage,
  durationText,
  Empty,
  JsonBlock,
  Notice,
  numberText,
  Section,
  SelectField,
  Stat,
  Stats,
  Time,
  type Tone,
  wordsOf,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { RangeToolbar } from '../logs/range-toolbar.tsx'
import { eventSummary } from './event-summary.ts'
import { NothingSelected, RumPageLink } from './parts.tsx'
import styles from './rum.module.css'
import { RANGE, useRumScope } from './scope.tsx'
import { lengthOf } from './session-columns.tsx'

const DEFAULTS = { ...RANGE, id: '', type: '' }
const EVENTS_MAX = 1000
const SHOWN_INITIALLY = 200
const UP = { to: '/rum/sessions', label: 'Sessions' }

export default function SessionPage() {
  const [{ id, type }, setFilters] = useFilters(DEFAULTS)
  const { scope, range } = useRumScope()
  const read = useRead<RumSessionTimeline>(
    `/console/api/rum/sessions/${encodeURIComponent(id)}`,
    { ...scope, limit: EVENTS_MAX },
    { keep_previous: true, enabled: id !== '' },
  )
  if (id === '') return <NothingSelected what="session" up={UP} />
  return (
    <DetailPage
      read={read}
      what="session"
      title={() => id}
      up={UP}
      toolbar={
        <RangeToolbar label="Session" range={range} set={setFilters}>
          <SelectField
            label="Events"
            value={type}
            options={TYPE_OPTIONS}
            onChange={(next) => setFilters({ type: next })}
          />
        </RangeToolbar>
      }
    >
      {(session) => (
        <>
          <Summary session={session} range={range} />
          <Section title="Timeline">
            {session.events > session.timeline.length && (
              <Notice tone="warn">
                Only the first {numberText(session.timeline.length)} of {numberText(session.events)}{' '}
                events are shown.
              </Notice>
            )}
            <Timeline key={type} session={session} type={type} />
          </Section>
        </>
      )}
    </DetailPage>
  )
}

const TYPES = ['view', 'action', 'error', 'resource', 'vital', 'long_task', 'log'] as const
const TYPE_OPTIONS = [
  { value: '', label: 'All' },
  ...TYPES.map((value) => ({ value: value as string, label: wordsOf(value) })),
]

function Summary({ session, range }: { session: RumSessionTimeline; range: string }) {
  const { views, actions, errors, events, device_class, first_seen, first_page } = session
  const started = <Time at={first_seen} />
  return (
    <Section title="Session" hideTitle>
      <Stats>
        <Stat label="Started" value={<Time at={first_seen} as="age" />} note={started} />
        <Stat label="Duration" value={durationText(lengthOf(session))} note={device_class ?? ''} />
        <Stat label="Views" value={numberText(views)} note={`${numberText(events)} events`} />
        <Stat label="Actions" value={numberText(actions)} />
        <Stat label="Errors" value={numberText(errors)} />
      </Stats>
      {first_page !== '' && (
        <p>
          Entry page: <RumPageLink page={first_page} range={range} />
        </p>
      )}
    </Section>
  )
}

function Timeline({ session, type }: { session: RumSessionTimeline; type: string }) {
  const [isExpanded, setExpanded] = useState(false)
  const events = session.timeline.filter((event) => type === '' || event.type === type)
  const started = Date.parse(session.first_seen)
  if (events.length === 0) return <Empty title={`No ${wordsOf(type)} events in this session`} />
  return (
    <>
      <ol class={styles['timeline']}>
        {events.slice(0, isExpanded ? EVENTS_MAX : SHOWN_INITIALLY).map((event) => (
          <EventItem key={event.id} event={event} started={started} />
        ))}
      </ol>
      {!isExpanded && events.length > SHOWN_INITIALLY && (
        <Button onClick={() => setExpanded(true)}>
          Show all {countText(events.length, 'events')}
        </Button>
      )}
    </>
  )
}

const TONES = new Map<string, Tone>([
  ['view', 'info'],
  ['action', 'good'],
  ['error', 'bad'],
  ['long_task', 'warn'],
])

function EventItem({ event, started }: { event: RumTimelineEvent; started: number }) {
  const [isOpen, setOpen] = useState(false)
  const { type, timestamp } = event
  return (
    <li class={type === 'view' ? styles['view'] : undefined}>
      <span class={styles['offset']} title={timestamp}>
        +{durationText(Math.max(0, Date.parse(timestamp) - started))}
      </span>
      <Badge tone={TONES.get(type) ?? 'neutral'}>{wordsOf(type)}</Badge>
      <span class={styles['words']}>{eventSummary(event).slice(0, SUMMARY_MAX_CHARS)}</span>
      <details onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
        <summary class="muted">
          Details<span class="visually-hidden"> of {wordsOf(type)}</span>
        </summary>
        {isOpen && (
          <div class="stack">
            <p class="muted">
              At <Time at={timestamp} as="exact" />, received{' '}
              <Time at={event.received_at} as="exact" />
            </p>
            <JsonBlock value={event.event} label={`Event ${wordsOf(type)}`} />
          </div>
        )}
      </details>
    </li>
  )
}

const SUMMARY_MAX_CHARS = 500
