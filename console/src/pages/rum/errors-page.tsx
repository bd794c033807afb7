/** Errors of users in groups, the most frequent first. */
import type { RumError } from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import { Button, Empty, Page, Section, Shown, Toolbar } from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { RangeField } from '../logs/range-field.tsx'
import { ErrorTable } from './error-table.tsx'
import { RANGE, RumTabs, useRumScope } from './scope.tsx'
import { Activity } from './trends.tsx'

const LISTED = 200
const DEFAULTS = { ...RANGE, page: '' }

export default function ErrorsPage() {
  const [{ page }, setFilters] = useFilters(DEFAULTS)
  const { scope, range } = useRumScope()
  const read = useRead<RumError[]>(
    '/console/api/rum/errors',
    { ...scope, page, limit: LISTED },
    { keep: true },
  )
  return (
    <Page title="Errors of users" lead="Errors that tell of the same fault are one group.">
      <RumTabs range={range} />
      <Toolbar label="Errors">
        <RangeField range={range} onChange={(next) => setFilters({ range: next })} />
        {page !== '' && (
          <Button onClick={() => setFilters({ page: '' })}>
            On {page} ✕<span class="visually-hidden"> remove this filter</span>
          </Button>
        )}
      </Toolbar>
      <Activity query={{ ...scope, page }} />
      <Section title="Errors" hideTitle>
        <Shown read={read} what="errors">
          {(errors) =>
            errors.length === 0 ? (
              <Empty title="No errors in this time">
                <p>Ask for a longer time to see older ones.</p>
              </Empty>
            ) : (
              <>
                <ErrorTable errors={errors} range={range} />
                {errors.length === LISTED && (
                  <p class="muted">These are the {LISTED} most frequent ones.</p>
                )}
              </>
            )
          }
        </Shown>
      </Section>
    </Page>
  )
}
