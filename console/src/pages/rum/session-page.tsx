/** One session: what the user saw and did, event by event. */
import { useState } from 'preact/hooks'
import type {
  RumSessionTimeline,
  RumTimelineEvent,
} from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  Badge,
  Button,
  durationText,
  Empty,
  JsonBlock,
  Notice,
  numberText,
  Page,
  Section,
  SelectField,
  Shown,
  Stat,
  Stats,
  Time,
  type Tone,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { RangeField } from '../logs/range-field.tsx'
import { eventWords } from './event-words.ts'
import styles from './rum.module.css'
import { RANGE, rangeQuery, useRumScope } from './scope.tsx'
import { lengthOf } from './session-table.tsx'

type Option = { value: string; label: string }

const DEFAULTS = { ...RANGE, id: '', type: '' }
const EVENTS_MAX = 1000
const SHOWN_FIRST = 200

export default function SessionPage() {
  const [{ id, type }, setFilters] = useFilters(DEFAULTS)
  const { scope, range } = useRumScope()
  const read = useRead<RumSessionTimeline>(
    `/console/api/rum/sessions/${encodeURIComponent(id)}`,
    { ...scope, limit: EVENTS_MAX },
    { keep: true, enabled: id !== '' },
  )
  return (
    <Page title={id || 'Session'} up={{ to: '/rum/sessions', label: 'Sessions' }}>
      <Toolbar label="Session">
        <RangeField range={range} onChange={(next) => setFilters({ range: next })} />
        <SelectField
          label="Events"
          value={type}
          options={[
            { value: '', label: 'All' },
            ...TYPES.map((each): Option => ({ value: each, label: wordsOf(each) })),
          ]}
          onChange={(next) => setFilters({ type: next })}
        />
      </Toolbar>
      {id === '' ? (
        <Empty title="The address names no session">
          <p>Choose one from the list.</p>
        </Empty>
      ) : (
        <Shown read={read} what="the session">
          {(session) => (
            <>
              <Summary session={session} range={range} />
              <Section title="Timeline">
                {session.events > session.timeline.length && (
                  <Notice tone="warn">
                    The first {numberText(session.timeline.length)} of {numberText(session.events)}{' '}
                    events are shown.
                  </Notice>
                )}
                <Timeline key={type} session={session} type={type} />
              </Section>
            </>
          )}
        </Shown>
      )}
    </Page>
  )
}

const TYPES = ['view', 'action', 'error', 'resource', 'vital', 'long_task', 'log'] as const

const wordsOf = (type: string): string => type.replaceAll('_', ' ')

function Summary({ session, range }: { session: RumSessionTimeline; range: string }) {
  const { views, actions, errors, events, device_class, first_seen, first_page } = session
  return (
    <Section title="Session" hideTitle>
      <Stats>
        <Stat
          label="Began"
          value={<Time at={first_seen} as="age" />}
          note={<Time at={first_seen} />}
        />
        <Stat label="Length" value={durationText(lengthOf(session))} note={device_class ?? ''} />
        <Stat label="Views" value={numberText(views)} note={`${numberText(events)} events`} />
        <Stat label="Actions" value={numberText(actions)} />
        <Stat label="Errors" value={numberText(errors)} />
      </Stats>
      {first_page !== '' && (
        <p>
          Came in at{' '}
          <PageLink to="/rum/page" query={{ page: first_page, ...rangeQuery(range) }}>
            {first_page}
          </PageLink>
        </p>
      )}
    </Section>
  )
}

function Timeline({ session, type }: { session: RumSessionTimeline; type: string }) {
  const [isWhole, setWhole] = useState(false)
  const events = session.timeline.filter((event) => type === '' || event.type === type)
  const began = Date.parse(session.first_seen)
  if (events.length === 0) return <Empty title={`No ${wordsOf(type)} in this session`} />
  return (
    <>
      <ol class={styles['timeline']}>
        {events.slice(0, isWhole ? EVENTS_MAX : SHOWN_FIRST).map((event) => (
          <EventItem key={event.id} event={event} began={began} />
        ))}
      </ol>
      {!isWhole && events.length > SHOWN_FIRST && (
        <Button onClick={() => setWhole(true)}>Show all {numberText(events.length)}</Button>
      )}
    </>
  )
}

const TONES: Readonly<Record<string, Tone>> = {
  view: 'info',
  action: 'good',
  error: 'bad',
  long_task: 'warn',
}

function EventItem({ event, began }: { event: RumTimelineEvent; began: number }) {
  const [isOpen, setOpen] = useState(false)
  const { type, timestamp } = event
  const tone = Object.hasOwn(TONES, type) ? (TONES[type] ?? 'neutral') : 'neutral'
  return (
    <li class={type === 'view' ? styles['view'] : undefined}>
      <span class={styles['offset']} title={timestamp}>
        +{durationText(Math.max(0, Date.parse(timestamp) - began))}
      </span>
      <Badge tone={tone}>{wordsOf(type)}</Badge>
      <span class={styles['words']}>{eventWords(event).slice(0, WORDS_MAX_CHARS)}</span>
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

const WORDS_MAX_CHARS = 500
