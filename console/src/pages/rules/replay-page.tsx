import { useState } from 'preact/hooks'
import { useParams } from 'wouter'
import type { RulesReplay } from '../../../../src/modules/orders/replays/schema.ts'
import type { RulesShown } from '../../../../src/modules/orders/rules/schema.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Button,
  DetailPage,
  dayText,
  Loaded,
  Notice,
  numberText,
  Progress,
  Section,
  Time,
} from '../../components/index.ts'
import { PageLink, useGo } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import { AdminsOnly, ApplyDialog } from './apply.tsx'
import { Changes, CustomChanges } from './changes.tsx'
import { customChanges } from './custom-draft.ts'
import { changesBetween } from './draft.ts'
import { ReplayResults } from './replay-result.tsx'
import { StateBadge } from './state-badge.tsx'
import { RULES_PATH, useReplaceCustomDraft, useReplaceDraft, useRules } from './use-rules.ts'

const REFRESH_MS = 1000

const isRunning = (replay: RulesReplay | undefined): boolean =>
  replay?.state === 'queued' || replay?.state === 'running'

export default function ReplayPage() {
  const { id: org_id } = useOrg()
  const { id } = useParams<{ id: string }>()
  const path = `${RULES_PATH}/replays/${id}`
  const [isEnded, setEnded] = useState(false)
  const options = { refresh_ms: isEnded ? (false as const) : REFRESH_MS }
  const replay = useRead<RulesReplay>(path, { org_id }, options)
  const hasEnded = replay.data !== undefined && !isRunning(replay.data)
  if (hasEnded !== isEnded) setEnded(hasEnded)
  const rules = useRules()
  return (
    <DetailPage
      read={replay}
      what="replay"
      title={() => 'Replay'}
      up={{ to: '/rules/replays', label: 'Replays' }}
      lead={(found) => <Lead replay={found} />}
    >
      {(found) => (
        <Loaded read={rules} what="the rules">
          {(current) => <Replay replay={found} rules={current} />}
        </Loaded>
      )}
    </DetailPage>
  )
}

function Lead({ replay }: { replay: RulesReplay }) {
  return (
    <>
      Compares orders, checks and cashier actions received from <Time at={replay.from} as="day" />{' '}
      to <Time at={lastDayOf(replay)} as="day" />, started <Time at={replay.created_at} as="age" />{' '}
      by {replay.created_by_email ?? replay.created_by} <StateBadge state={replay.state} />
    </>
  )
}

/** The end of the range is not part of it. */
const lastDayOf = ({ to }: RulesReplay): string => new Date(Date.parse(to) - 1).toISOString()

function Replay({ replay, rules }: { replay: RulesReplay; rules: RulesShown }) {
  const mode = useMode()
  // A replay of test orders cannot be compared with the rules for live orders.
  const isOtherMode = replay.mode !== mode
  const current = isOtherMode ? {} : rules.overrides
  const changes = changesBetween(rules.sections, current, replay.overrides)
  const custom = customChanges(isOtherMode ? [] : rules.custom_rules, replay.custom_rules)
  const isSame = changes.length + custom.length === 0
  return (
    <>
      {isRunning(replay) && <RunningReplay replay={replay} />}
      {replay.state === 'cancelled' && (
        <Notice>
          This replay was canceled. Start it again from the <PageLink to="/rules">draft</PageLink>.
        </Notice>
      )}
      {replay.fault !== null && <Notice tone="bad">{replay.fault}</Notice>}
      {isOtherMode && (
        <Notice tone="warn">
          This replay used {replay.mode} orders. Switch to {replay.mode} data at the top to apply
          the draft.
        </Notice>
      )}
      {isSame && !isOtherMode && rules.version > 0 && replay.state === 'done' && (
        <Notice tone="good">
          Version {rules.version} has these rules and is active. Roll back on the page{' '}
          <PageLink to="/rules/versions">Versions</PageLink>.
        </Notice>
      )}
      {replay.result && <ReplayResults result={replay.result} />}
      <Section
        title="Replayed draft"
        actions={!isOtherMode && <ReplayActions {...{ replay, rules, isSame }} />}
      >
        {isSame ? (
          <p class="muted">{isOtherMode ? 'Same as the defaults.' : 'Same as the active rules.'}</p>
        ) : (
          <>
            {changes.length > 0 && (
              <Changes
                label="Changed parameters"
                changes={changes}
                labels={[isOtherMode ? 'Default' : 'Current', 'Draft']}
              />
            )}
            <CustomChanges changes={custom} />
          </>
        )}
      </Section>
    </>
  )
}

function RunningReplay({ replay }: { replay: RulesReplay }) {
  const { id: org_id } = useOrg()
  const cancel = useChange<void, RulesReplay>(
    () => ({ method: 'POST', path: `${RULES_PATH}/replays/${replay.id}/cancel`, body: { org_id } }),
    { invalidates: [RULES_PATH] },
  )
  return (
    <Section
      title={replay.state === 'queued' ? 'Waiting to start' : 'Rescoring orders'}
      actions={
        <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel replay
        </Button>
      }
    >
      <p class="muted">
        A score depends on all earlier orders, so a replay begins with the first stored order.
        Orders before <Time at={replay.from} as="day" /> are the warm-up: they teach what is usual
        and are not compared. Checks and cashier actions follow, without a warm-up.
      </p>
      <ReplayProgress replay={replay} />
    </Section>
  )
}

function ReplayProgress({ replay }: { replay: RulesReplay }) {
  const { orders, of, until } = replay.progress
  if (of === null) return <Progress label="Starting…" />
  const isWarmUp = until !== null && until < replay.from
  const upTo =
    until === null ? '' : `, up to ${dayText(new Date(until))}${isWarmUp ? ' (warm-up)' : ''}`
  return (
    <Progress
      label={`${numberText(orders)} of ${numberText(of)} orders${upTo}`}
      value={orders}
      max={Math.max(1, of)}
    />
  )
}

type ActionsProps = { replay: RulesReplay; rules: RulesShown; isSame: boolean }

function ReplayActions({ replay, rules, isSame }: ActionsProps) {
  const { is_admin } = useOrg()
  const mode = useMode()
  const go = useGo()
  const replaceDraft = useReplaceDraft()
  const replaceCustomDraft = useReplaceCustomDraft()
  const [isApplying, setApplying] = useState(false)
  const edit = () => {
    replaceDraft(rules.sections, replay.overrides)
    const isCustom = customChanges(rules.custom_rules, replay.custom_rules).length > 0
    if (isCustom) replaceCustomDraft(replay.custom_rules)
    go(isCustom ? '/rules/custom' : '/rules')
  }
  return (
    <>
      <Button onClick={edit}>Edit as draft</Button>
      <Button
        kind="primary"
        disabled={!is_admin || isSame || replay.state !== 'done'}
        onClick={() => setApplying(true)}
      >
        Apply…
      </Button>
      {!is_admin && <AdminsOnly />}
      {isApplying && (
        <ApplyDialog
          key={mode}
          rules={rules}
          overrides={replay.overrides}
          custom_rules={replay.custom_rules}
          onDone={() => {
            setApplying(false)
            replaceDraft(rules.sections, rules.overrides)
            replaceCustomDraft(undefined)
          }}
          onClose={() => setApplying(false)}
        />
      )}
    </>
  )
}
