/** One group of errors: the last of them with its stack, how often over time, and its sessions. */
import type { RumErrorCase, RumSession } from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  CodeBlock,
  Empty,
  Facts,
  numberText,
  Page,
  Section,
  Shown,
  Time,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { RangeField } from '../logs/range-field.tsx'
import { memberOf, textOf } from './event-words.ts'
import { RANGE, rangeQuery, useRumScope } from './scope.tsx'
import { SessionTable } from './session-table.tsx'
import { Activity } from './trends.tsx'
import { SessionLink } from './words.tsx'

const DEFAULTS = { ...RANGE, fingerprint: '' }
const LISTED = 50

export default function ErrorPage() {
  const [{ fingerprint }, setFilters] = useFilters(DEFAULTS)
  const { scope, range } = useRumScope()
  const read = useRead<RumErrorCase>(
    `/console/api/rum/errors/${encodeURIComponent(fingerprint)}`,
    scope,
    { keep: true, enabled: fingerprint !== '' },
  )
  const ofError = { ...scope, error_fingerprint: fingerprint }
  const sessions = useRead<RumSession[]>(
    '/console/api/rum/sessions',
    { ...ofError, limit: LISTED },
    { keep: true, enabled: fingerprint !== '' },
  )
  return (
    <Page
      title={read.data ? read.data.error_type || 'Error without a type' : 'Error'}
      up={{ to: '/rum/errors', label: 'Errors' }}
      lead={read.data && (read.data.title || read.data.message)}
    >
      <Toolbar label="Error">
        <RangeField range={range} onChange={(next) => setFilters({ range: next })} />
      </Toolbar>
      {fingerprint === '' ? (
        <Empty title="The address names no error">
          <p>Choose one from the list.</p>
        </Empty>
      ) : (
        <Shown read={read} what="the error">
          {(error) => (
            <>
              <Activity query={ofError} only="errors" />
              <Section title="The last one">
                <ErrorFacts error={error} range={range} />
                <Stack error={error} />
              </Section>
              <Section title="Latest sessions with it">
                <Shown read={sessions} what="sessions">
                  {(found) =>
                    found.length === 0 ? (
                      <Empty title="No session in this time" />
                    ) : (
                      <SessionTable sessions={found} range={range} />
                    )
                  }
                </Shown>
              </Section>
            </>
          )}
        </Shown>
      )}
    </Page>
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
        ['Last seen', <Time key="last" at={last_seen} />],
        ['First seen in this time', <Time key="first" at={first_seen} />],
        [
          'Pages',
          pages.map((page) => (
            <p key={page}>
              <PageLink to="/rum/page" query={{ page, ...rangeQuery(range) }}>
                {page}
              </PageLink>
            </p>
          )),
        ],
        [
          'Session',
          <SessionLink key="session" id={example.session_id} query={rangeQuery(range)} />,
        ],
        ['Fingerprint', <code key="fingerprint">{error.fingerprint}</code>],
      ]}
    />
  )
}

function Stack({ error: { example } }: { error: RumErrorCase }) {
  const stack = textOf(memberOf(example.event, 'error'), 'stack')
  if (stack === undefined) return <p class="muted">No stack was sent.</p>
  return (
    <>
      <h3>Stack</h3>
      <CodeBlock text={stack} label="Stack" />
    </>
  )
}
