import type {
  ReplayResult,
  RulesReplay,
  RulesReplayPage,
} from '../../../../src/modules/orders/replays/schema.ts'
import type { RulesShown } from '../../../../src/modules/orders/rules/schema.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages } from '../../api/read.ts'
import { ListSection, percentText, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { PageLink } from '../../shell/links.tsx'
import { useScope } from '../../shell/organization.ts'
import { changesBetween } from './draft.ts'
import { RulesPage } from './rules-page.tsx'
import { StateBadge } from './state-badge.tsx'
import { RULES_PATH } from './use-rules.ts'

const REFRESH_MS = 3000

export default function ReplaysPage() {
  return <RulesPage>{(rules) => <Replays rules={rules} />}</RulesPage>
}

function Replays({ rules }: { rules: RulesShown }) {
  const options = { refresh_ms: REFRESH_MS }
  const pages = usePages<RulesReplayPage>(`${RULES_PATH}/replays`, useScope(), options)
  return (
    <ListSection
      title="Replays"
      list={rowsOfPages(pages, ({ replays }) => replays)}
      what="replays"
      columns={columnsOf(rules)}
      keyOf={({ id }) => id}
      empty={
        <p>
          Change a parameter in the <PageLink to="/rules">draft</PageLink>, then replay a month with
          it. Replays are stored for 30 days.
        </p>
      }
    />
  )
}

const columnsOf = (rules: RulesShown): readonly Column<RulesReplay>[] => [
  {
    label: 'Started',
    cell: ({ id, created_at }) => (
      <PageLink to={`/rules/replays/${id}`}>
        <Time at={created_at} />
      </PageLink>
    ),
  },
  { label: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { label: 'Orders from', cell: ({ from }) => <Time at={from} as="day" /> },
  { label: 'Orders to', cell: ({ to }) => <Time at={to} as="day" /> },
  { label: 'Flag rate', cell: ({ result }) => result && flagRate(result) },
  {
    label: 'Changes from defaults',
    isNumber: true,
    cell: ({ overrides }) => changesBetween(rules.sections, {}, overrides).length,
  },
  {
    label: 'Started by',
    cell: ({ created_by_email, created_by }) => created_by_email ?? created_by,
  },
]

const flagRate = ({ flag_rate_then, flag_rate_now }: ReplayResult): string =>
  `${percentText(flag_rate_then)} → ${percentText(flag_rate_now)}`
