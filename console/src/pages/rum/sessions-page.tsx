/** The sessions that were heard from last. */
import type { RumSession } from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import { Button, Empty, Page, Section, Shown, Toolbar } from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { RangeField } from '../logs/range-field.tsx'
import { RANGE, RumTabs, useRumScope } from './scope.tsx'
import { SessionTable } from './session-table.tsx'
import { HowToSend } from './words.tsx'

const LISTED = 50
const LISTED_MAX = 200
const DEFAULTS = { ...RANGE, page: '', limit: String(LISTED) }

export default function SessionsPage() {
  const [{ page, limit }, setFilters] = useFilters(DEFAULTS)
  const { scope, range } = useRumScope()
  const listed = limit === String(LISTED_MAX) ? LISTED_MAX : LISTED
  const read = useRead<RumSession[]>(
    '/console/api/rum/sessions',
    { ...scope, page, limit: listed },
    { keep: true },
  )
  return (
    <Page title="Sessions" lead="Those that were heard from last come first.">
      <RumTabs range={range} />
      <Toolbar label="Sessions">
        <RangeField range={range} onChange={(next) => setFilters({ range: next })} />
        {page !== '' && (
          <Button onClick={() => setFilters({ page: '' })}>
            On {page} ✕<span class="visually-hidden"> remove this filter</span>
          </Button>
        )}
      </Toolbar>
      <Section title="Sessions" hideTitle>
        <Shown read={read} what="sessions">
          {(sessions) =>
            sessions.length === 0 ? (
              <Empty title="No session in this time">
                <HowToSend />
              </Empty>
            ) : (
              <>
                <SessionTable sessions={sessions} range={range} />
                {sessions.length === LISTED && (
                  <div class="more">
                    <span class="muted">{sessions.length} sessions so far</span>
                    <Button onClick={() => setFilters({ limit: String(LISTED_MAX) })}>
                      Show {LISTED_MAX}
                    </Button>
                  </div>
                )}
                {sessions.length === LISTED_MAX && (
                  <p class="muted">These are the latest {LISTED_MAX}. Choose a shorter time.</p>
                )}
              </>
            )
          }
        </Shown>
      </Section>
    </Page>
  )
}
