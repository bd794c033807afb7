/** One cashier: how much was done and flagged each day, and one day action by action. */
import { useParams } from 'wouter'
import type {
  CashierSummary,
  CashierTimeline,
} from '../../../../src/modules/cashier/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import { placeName } from '../../components/cashier/words.ts'
import {
  dayText,
  Empty,
  Notice,
  numberText,
  Page,
  Section,
  SelectField,
  Shown,
  TextField,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import { ActionTable } from './action-table.tsx'
import styles from './cashiers.module.css'
import { boundsOf, countDays, type DayCount, dayOf } from './days.ts'
import { PERIODS } from './periods.ts'
import { ShiftTimeline, shiftWords } from './timeline.tsx'

const DEFAULTS = { days: '14', day: '' }

type View = ReturnType<typeof useFilters<keyof typeof DEFAULTS>>

export default function CashierPage() {
  const { id } = useParams<{ id: string }>()
  const { id: org_id } = useOrg()
  const mode = useMode()
  const view = useFilters(DEFAULTS)
  const [{ days }] = view
  const read = useRead<CashierSummary>(
    `/console/api/cashiers/${encodeURIComponent(id)}`,
    { org_id, mode, days },
    { keep: true },
  )
  const cashier = read.data
  return (
    <Page
      title={cashier?.cashier_external_id ?? 'Cashier'}
      up={{ to: '/cashiers', label: 'Cashiers' }}
      lead={cashier && `${placeName(cashier.location)} · ${totalsText(cashier, days)}`}
      actions={
        <PageLink
          to="/cashiers/actions"
          query={{ cashier: id }}
          class="button button-normal button-plain"
        >
          All actions
        </PageLink>
      }
    >
      <Shown read={read} what="the cashier">
        {(summary) => <Days id={id} summary={summary} view={view} />}
      </Shown>
    </Page>
  )
}

const totalsText = ({ actions, flagged }: CashierSummary, days: string): string =>
  `${numberText(actions)} actions in ${days === '1' ? 'the last day' : `${days} days`}, ${numberText(flagged)} flagged`

function Days({ id, summary, view }: { id: string; summary: CashierSummary; view: View }) {
  const [filters, setFilters] = view
  const counts = countDays(summary.quarters, new Date(), Number(filters.days) || 14)
  const last = counts.findLast(({ actions }) => actions > 0)
  const day = boundsOf(filters.day) ? filters.day : (last?.day ?? dayOf(new Date()))
  return (
    <>
      <Toolbar label="Days">
        <SelectField
          label="Period"
          value={filters.days}
          options={PERIODS}
          onChange={(days) => setFilters({ days })}
        />
        <TextField
          label="Day"
          type="date"
          value={day}
          onInput={(next) => setFilters({ day: next }, { replace: true })}
        />
      </Toolbar>
      <Section title="Day by day">
        {!summary.is_complete && (
          <Notice tone="warn">
            More actions than are read at once: the oldest days are not complete.
          </Notice>
        )}
        <DayBars counts={counts} current={day} onChoose={(next) => setFilters({ day: next })} />
      </Section>
      <Day id={id} day={day} />
    </>
  )
}

function DayBars({
  counts,
  current,
  onChoose,
}: {
  counts: readonly DayCount[]
  current: string
  onChoose: (day: string) => void
}) {
  const most = Math.max(1, ...counts.map(({ actions }) => actions))
  return (
    <div class={styles['days']} role="group" aria-label="Days, with how much was done">
      {counts.map(({ day, actions, flagged, highest_score }) => {
        const words = `${dayText(boundsOf(day)?.start ?? new Date())}: ${actions} actions, ${flagged} flagged, highest score ${highest_score}`
        return (
          <button
            key={day}
            type="button"
            class={styles['day']}
            aria-pressed={day === current}
            aria-label={words}
            title={words}
            onClick={() => onChoose(day)}
          >
            <span class={styles['day-bar']}>
              <span
                class={styles['day-fill']}
                style={{ height: `${(100 * (actions - flagged)) / most}%` }}
              />
              <span
                class={styles['day-flagged']}
                style={{ height: `${(100 * flagged) / most}%` }}
              />
            </span>
            <span class={styles['day-name']}>{day.slice(8)}</span>
          </button>
        )
      })}
    </div>
  )
}

function Day({ id, day }: { id: string; day: string }) {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const bounds = boundsOf(day)
  const read = useRead<CashierTimeline>(
    `/console/api/cashiers/${encodeURIComponent(id)}/timeline`,
    {
      org_id,
      mode,
      start_date: bounds?.start.toISOString(),
      // Both are included, and midnight belongs to the next day.
      end_date: bounds && new Date(bounds.end.getTime() - 1).toISOString(),
    },
    { enabled: bounds !== undefined, keep: true },
  )
  if (!bounds) return null
  return (
    <Section title={dayText(bounds.start)}>
      <Shown read={read} what="the day">
        {(timeline) =>
          timeline.actions.length === 0 && timeline.shifts.length === 0 ? (
            <Empty title="Nothing was done on this day">
              <p>Choose a day with a bar.</p>
            </Empty>
          ) : (
            <>
              {!timeline.is_complete && (
                <Notice tone="warn">There are more actions on this day than are shown.</Notice>
              )}
              <ShiftTimeline key={day} timeline={timeline} {...bounds} />
              {timeline.shifts.length > 0 ? (
                <ul class={styles['shifts']}>
                  {timeline.shifts.map((shift) => (
                    <li key={`${shift.started_at} ${shift.ended_at}`}>{shiftWords(shift)}</li>
                  ))}
                </ul>
              ) : (
                <p class="muted">No shift events were sent.</p>
              )}
              <ActionTable actions={timeline.actions} hasCashier={false} />
            </>
          )
        }
      </Shown>
    </Section>
  )
}
