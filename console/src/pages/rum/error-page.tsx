import type { RumErrorCase, RumSession } from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  CodeBlock,
  DetailPage,
  Facts,
  ListSection,
  numberText,
  Section,
  Time,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { RangeToolbar } from '../logs/range-toolbar.tsx'
import { memberOf, textOf } from './event-summary.ts'
import { NothingSelected, RumPageLink, SessionLink } from './parts.tsx'
import { RANGE, useRumScope } from './scope.tsx'
import { sessionColumns } from './session-columns.tsx'
import { Activity } from './trends.tsx'

const DEFAULTS = { ...RANGE, fingerprint: '' }
const LISTED = 50
const UP = { to: '/rum/errors', label: 'Errors' }

export default function ErrorPage() {
  const [{ fingerprint }, setFilters] = useFilters(DEFAULTS)
  const { scope, range } = useRumScope()
  const read = useRead<RumErrorCase>(
    `/console/api/rum/errors/${encodeURIComponent(fingerprint)}`,
    scope,
    { keep_previous: true, enabled: fingerprint !== '' },
  )
  const query = { ...scope, error_fingerprint: fingerprint }
  const sessions = useRead<RumSession[]>(
    '/console/api/rum/sessions',
    { ...query, limit: LISTED },
    { keep_previous: true, enabled: fingerprint !== '' },
  )
  if (fingerprint === '') return <NothingSelected what="error" up={UP} />
  return (
    <DetailPage
      read={read}
      what="error"
      title={({ error_type }) => error_type || 'Error without a type'}
      up={UP}
      lead={({ title, message }) => title || message}
      toolbar={<RangeToolbar label="Error" range={range} set={setFilters} />}
    >
      {(error) => (
        <>
          <Activity query={query} only="errors" />
          <Section title="Latest error">
            <ErrorFacts error={error} range={range} />
            <Stack error={error} />
          </Section>
          <ListSection
            title="Latest sessions"
            label="Sessions"
            list={sessions}
            what="sessions"
            emptyTitle="No sessions in this period"
            keyOf={({ session_id }) => session_id}
            columns={sessionColumns(range)}
          />
        </>
      )}
    </DetailPage>
  )
}

function ErrorFacts({ error, range }: { error: RumErrorCase; range: string }) {
  const { count, affected_sessions, pages, first_seen, last_seen, message, example } = error
  return (
    <Facts
      facts={[
        ['Message', message],
        ['Errors', numberText(count)],
        ['Sessions', numberText(affected_sessions)],
        ['Last seen', <Time at={last_seen} />],
        ['First seen in this period', <Time at={first_seen} />],
        [
          'Pages',
          pages.map((page) => (
            <p key={page}>
              <RumPageLink page={page} range={range} />
            </p>
          )),
        ],
        ['Session', <SessionLink id={example.session_id} range={range} />],
        ['Fingerprint', <code>{error.fingerprint}</code>],
      ]}
    />
  )
}

function Stack({ error: { example } }: { error: RumErrorCase }) {
  const stack = textOf(memberOf(example.event, 'error'), 'stack')
  if (stack === undefined) return <p class="muted">No stack trace was sent.</p>
  return (
    <>
      <h3>Stack trace</h3>
      <CodeBlock text={stack} label="Stack trace" />
    </>
  )
}
