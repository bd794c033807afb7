/** Replays that members of the organisation asked for, newest first. */
import type {
  ReplayResult,
  RulesReplay,
  RulesReplayPage,
} from '../../../../src/modules/orders/replays/schema.ts'
import type { RulesShown } from '../../../../src/modules/orders/rules/schema.ts'
import { usePages } from '../../api/read.ts'
import {
  Empty,
  Failed,
  More,
  percentText,
  Section,
  Table,
  Time,
  Waiting,
} from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import { changesBetween } from './draft.ts'
import { RulesFrame } from './frame.tsx'
import { StateBadge } from './replay-state.tsx'
import { RULES_PATH } from './use-rules.ts'

const REFRESH_MS = 3000

export default function ReplaysPage() {
  return <RulesFrame>{(rules) => <Replays rules={rules} />}</RulesFrame>
}

function Replays({ rules }: { rules: RulesShown }) {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const path = `${RULES_PATH}/replays`
  const pages = usePages<RulesReplayPage>(path, { org_id, mode }, { refresh_ms: REFRESH_MS })
  const replays = pages.data?.pages.flatMap((page) => page.replays) ?? []
  return (
    <Section title="Replays">
      {pages.error ? (
        <Failed error={pages.error} onRetry={() => void pages.refetch()} />
      ) : pages.data === undefined ? (
        <Waiting for="replays" />
      ) : replays.length === 0 ? (
        <Empty title="No replays yet">
          <p>
            Change a number in the <PageLink to="/rules">draft</PageLink>, then replay a month with
            it. Replays are kept for 30 days.
          </p>
        </Empty>
      ) : (
        <>
          <Table
            label="Replays"
            rows={replays}
            keyOf={({ id }) => id}
            columns={[
              {
                label: 'Asked',
                cell: ({ id, created_at }) => (
                  <PageLink to={`/rules/replays/${id}`}>
                    <Time at={created_at} />
                  </PageLink>
                ),
              },
              { label: 'State', cell: ({ state }) => <StateBadge state={state} /> },
              { label: 'Orders from', cell: ({ from }) => <Time at={from} as="day" /> },
              { label: 'Orders before', cell: ({ to }) => <Time at={to} as="day" /> },
              { label: 'Flag rate', cell: ({ result }) => result && flagRate(result) },
              {
                label: 'Other than the defaults',
                isNumber: true,
                cell: ({ overrides }) => changesBetween(rules.sections, {}, overrides).length,
              },
              { label: 'By', cell: authorOf },
            ]}
          />
          <More pages={pages} shown={replays.length} what="replays" />
        </>
      )}
    </Section>
  )
}

const authorOf = ({ created_by_email, created_by }: RulesReplay): string =>
  created_by_email ?? created_by

const flagRate = ({ flag_rate_then, flag_rate_now }: ReplayResult): string =>
  `${percentText(flag_rate_then)} → ${percentText(flag_rate_now)}`
