import { useParams } from 'wouter'
import type {
  CashierSummary,
  CashierTimeline,
} from '../../../../src/modules/cashier/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import { storeName } from '../../components/cashier/words.ts'
import { boundsOf, dayOf, endOfDay, startOfDay } from '../../components/days.ts'
import {
  countText,
  DetailPage,
  dayText,
  Empty,
  Loaded,
  Notice,
  numberText,
  Section,
  SelectField,
  Table,
  TextField,
  Toolbar,
} from '../../components/index.ts'
import { useFilters, type View } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useScope } from '../../shell/organization.ts'
import { actionColumns } from './action-columns.tsx'
import styles from './cashiers.module.css'
import { countDays, type DayCount } from './day-counts.ts'
import { PERIODS } from './periods.ts'
import { ShiftTimeline, shiftText } from './timeline.tsx'

const DEFAULTS = { days: '14', day: '' }

export default function CashierPage() {
  const { id } = useParams<{ id: string }>()
  const view = useFilters(DEFAULTS)
  const [{ days }] = view
  const read = useRead<CashierSummary>(
    `/console/api/cashiers/${encodeURIComponent(id)}`,
    { ...useScope(), days },
    { keep_previous: true },
  )
  return (
    <DetailPage
      read={read}
      what="cashier"
      title={({ cashier_external_id }) => cashier_external_id}
      up={{ to: '/cashiers', label: 'Cashiers' }}
      lead={(cashier) => `${storeName(cashier.location)} · ${totalsText(cashier, days)}`}
      actions={() => (
        <PageLink to="/cashiers/actions" query={{ cashier: id }} class="button">
          All actions
        </PageLink>
      )}
    >
      {(summary) => <Days id={id} summary={summary} view={view} />}
    </DetailPage>
  )
}

const totalsText = ({ actions, flagged }: CashierSummary, days: string): string =>
  `${countText(actions, 'actions')} in the last ${days === '1' ? 'day' : `${days} days`}, ${numberText(flagged)} flagged`

type DaysProps = { id: string; summary: CashierSummary; view: View<'days' | 'day'> }

function Days({ id, summary, view }: DaysProps) {
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
          onChange={(next) => setFilters({ day: next }, { replace: true })}
        />
      </Toolbar>
      <Section title="Actions per day">
        {!summary.is_complete && (
          <Notice tone="warn">
            There are more actions than this chart includes. The oldest days are incomplete.
          </Notice>
        )}
        <DayBars counts={counts} current={day} onChoose={(next) => setFilters({ day: next })} />
      </Section>
      <Day id={id} day={day} />
    </>
  )
}

type BarsProps = { counts: DayCount[]; current: string; onChoose: (day: string) => void }

function DayBars({ counts, current, onChoose }: BarsProps) {
  const most = Math.max(1, ...counts.map(({ actions }) => actions))
  const sized = (count: number) => ({ height: `${(100 * count) / most}%` })
  return (
    <div class={styles['days']} role="group" aria-label="Actions per day">
      {counts.map(({ day, actions, flagged, highest_score }) => {
        const summary = `${dayText(boundsOf(day)?.start ?? new Date())}: ${countText(actions, 'actions')}, ${flagged} flagged, highest score ${highest_score}`
        return (
          <button
            key={day}
            type="button"
            class={styles['day']}
            aria-pressed={day === current}
            aria-label={summary}
            title={summary}
            onClick={() => onChoose(day)}
          >
            <span class={styles['day-bar']}>
              <span class={styles['day-fill']} style={sized(actions - flagged)} />
              <span class={styles['day-flagged']} style={sized(flagged)} />
            </span>
            <span class={styles['day-name']}>{day.slice(8)}</span>
          </button>
        )
      })}
    </div>
  )
}

function Day({ id, day }: { id: string; day: string }) {
  const bounds = boundsOf(day)
  const read = useRead<CashierTimeline>(
    `/console/api/cashiers/${encodeURIComponent(id)}/timeline`,
    { ...useScope(), start_date: startOfDay(day), end_date: endOfDay(day) },
    { enabled: bounds !== undefined, keep_previous: true },
  )
  if (!bounds) return null
  return (
    <Section title={dayText(bounds.start)}>
      <Loaded read={read} what="the day">
        {(timeline) =>
          timeline.actions.length === 0 && timeline.shifts.length === 0 ? (
            <Empty title="No actions on this day">
              <p>Select a day with a bar.</p>
            </Empty>
          ) : (
            <>
              {!timeline.is_complete && (
                <Notice tone="warn">Not all actions of this day are shown.</Notice>
              )}
              <ShiftTimeline key={day} timeline={timeline} {...bounds} />
              {timeline.shifts.length > 0 ? (
                <ul class={styles['shifts']}>
                  {timeline.shifts.map((shift) => (
                    <li key={`${shift.started_at} ${shift.ended_at}`}>{shiftText(shift)}</li>
                  ))}
                </ul>
              ) : (
                <p class="muted">No shift events were sent.</p>
              )}
              <Table
                label="Cashier actions"
                rows={timeline.actions}
                keyOf={(action) => action.id}
                columns={actionColumns(false)}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}
