/** The queue of cases, and one case next to it. Both can be operated with the keyboard. */
import { useState } from 'preact/hooks'
import type { CaseCounts } from '../../../../src/modules/reviews/cases/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  amountText,
  Button,
  countText,
  Empty,
  Loaded,
  Page,
  Section,
  SelectField,
  Toolbar,
} from '../../components/index.ts'
import { ListDetail, useIsOneColumn } from '../../components/list-detail.tsx'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg, useScope } from '../../shell/organization.ts'
import Shortcuts from '../../shell/shortcuts.tsx'
import { useShortcuts } from '../reviews/shortcuts.ts'
import { CaseDetail } from './case-detail.tsx'
import { CaseItems, shownFilters } from './case-list.tsx'
import { CaseSettingsDialog } from './case-settings.tsx'
import { KIND_NAMES } from './case-text.ts'
import styles from './cases.module.css'
import { CASES, type CasesState, useCases } from './use-cases.ts'

const COUNTS_REFRESH_MS = 30_000

export default function CasesPage() {
  return <Queue key={useMode()} />
}

function Queue() {
  const cases = useCases()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const [isSettingsOpen, setSettingsOpen] = useState(false)
  const { is_admin } = useOrg()
  const [reason_code, setReason] = useState('')
  const [note, setNote] = useState('')
  const decide = (decision: 'confirmed_fraud' | 'legitimate') => {
    void cases.decide(decision, { note: note.trim(), reason_code })
    setNote('')
    setReason('')
  }
  useShortcuts({
    next: () => cases.step(1),
    previous: () => cases.step(-1),
    fraud: () => decide('confirmed_fraud'),
    legitimate: () => decide('legitimate'),
  })
  const { items } = cases
  const isAlone = useIsOneColumn() && cases.filters.case !== ''
  return (
    <Page
      title="Cases"
      lead={isAlone ? null : <Waiting />}
      actions={
        isAlone ? undefined : (
          <>
            <PageLink to="/cases/table">Table</PageLink>
            <PageLink to="/cases/statistics">Statistics</PageLink>
            {is_admin && <Button onClick={() => setSettingsOpen(true)}>Settings…</Button>}
            <Button onClick={() => setHelpOpen(true)}>Shortcuts</Button>
          </>
        )
      }
    >
      {!isAlone && <Filters cases={cases} />}
      <div class="visually-hidden" role="status" aria-live="polite">
        {cases.announcement}
      </div>
      {items === undefined ? (
        <Loaded read={cases.pages} what="cases">
          {() => null}
        </Loaded>
      ) : items.length === 0 && cases.filters.case === '' ? (
        <Section title="Cases" hideTitle>
          <Empty title="No cases">
            <p>
              Orders and cashier actions with a score of 50 or higher and fraud alerts are grouped
              into cases here.
            </p>
          </Empty>
        </Section>
      ) : (
        <ListDetail
          open={cases.filters.case}
          back={{ to: '/cases', query: shownFilters(cases.filters), label: 'All cases' }}
          class={styles['queue']}
          side={
            <Section title="Cases" hideTitle class={styles['side'] ?? ''}>
              <CaseItems cases={cases} items={items} />
            </Section>
          }
        >
          <CaseDetail
            key={cases.current}
            cases={cases}
            form={{ note, setNote, reason_code, setReason, decide }}
          />
        </ListDetail>
      )}
      {isSettingsOpen && <CaseSettingsDialog onClose={() => setSettingsOpen(false)} />}
      {isHelpOpen && <Shortcuts onClose={() => setHelpOpen(false)} />}
    </Page>
  )
}

function Waiting() {
  const counts = useRead<CaseCounts>(`${CASES}/counts`, useScope(), {
    refresh_ms: COUNTS_REFRESH_MS,
  })
  if (!counts.data) return null
  const { open, in_work, waiting, items, amounts, overdue, is_complete } = counts.data
  const total = open + in_work + waiting
  return (
    <>
      {countText(total, 'cases')}
      {is_complete ? '' : ' or more'} with {countText(items, 'undecided items')}
      {amounts.length > 0 &&
        `, ${amounts.map(({ currency, amount_cents }) => amountText(amount_cents, currency)).join(' and ')} at risk`}
      {overdue > 0 && `, ${overdue} overdue`}
    </>
  )
}

function Filters({ cases: { filters, setFilters } }: { cases: CasesState }) {
  const isClosed = filters.state === 'closed'
  return (
    <Toolbar label="Filter cases" count={Object.keys(shownFilters(filters)).length}>
      <SelectField
        label="State"
        value={filters.state}
        options={[
          { value: 'active', label: 'Not closed' },
          { value: 'open', label: 'Open' },
          { value: 'in_work', label: 'In work' },
          { value: 'waiting', label: 'Waiting' },
          { value: 'closed', label: 'Closed' },
        ]}
        onChange={(state) =>
          setFilters({ state, case: '', order: state === 'closed' ? 'newest' : filters.order })
        }
      />
      <SelectField
        label="Sort by"
        value={filters.order}
        options={[
          ...(isClosed
            ? []
            : [
                { value: 'amount', label: 'Amount at risk' },
                { value: 'score', label: 'Highest score' },
              ]),
          { value: 'oldest', label: 'Oldest' },
          { value: 'newest', label: 'Newest' },
        ]}
        onChange={(order) => setFilters({ order, case: '' })}
      />
      <SelectField
        label="Cause"
        value={filters.cause}
        options={[
          { value: '', label: 'All' },
          ...Object.entries(KIND_NAMES).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(cause) => setFilters({ cause, case: '' })}
      />
      <SelectField
        label="Assignee"
        value={filters.assignee}
        options={[
          { value: '', label: 'All' },
          { value: 'me', label: 'Me' },
          { value: 'none', label: 'No one' },
        ]}
        onChange={(assignee) => setFilters({ assignee, case: '' })}
      />
      <SelectField
        label="Escalated"
        value={filters.escalated}
        options={[
          { value: '', label: 'All' },
          { value: 'yes', label: 'Yes' },
          { value: 'no', label: 'No' },
        ]}
        onChange={(escalated) => setFilters({ escalated, case: '' })}
      />
    </Toolbar>
  )
}
