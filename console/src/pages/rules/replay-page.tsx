/** One replay: how far it is, what would have changed, and what to do about it. */
import { useState } from 'preact/hooks'
import { useParams } from 'wouter'
import type { RulesReplay } from '../../../../src/modules/orders/replays/schema.ts'
import type { RulesShown } from '../../../../src/modules/orders/rules/schema.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Button,
  dayText,
  Notice,
  numberText,
  Page,
  Progress,
  Section,
  Shown,
  Time,
} from '../../components/index.ts'
import { PageLink, useGo } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import { AdminsOnly, ApplyDialog } from './apply.tsx'
import { Changes } from './changes.tsx'
import { changesBetween } from './draft.ts'
import { ReplayOutcome } from './replay-outcome.tsx'
import { StateBadge } from './replay-state.tsx'
import { RULES_PATH, useRules, useTakeDraft } from './use-rules.ts'

const REFRESH_MS = 1000

const isUnderWay = (replay: RulesReplay | undefined): boolean =>
  replay?.state === 'queued' || replay?.state === 'running'

export default function ReplayPage() {
  const { id: org_id } = useOrg()
  const { id } = useParams<{ id: string }>()
  const path = `${RULES_PATH}/replays/${id}`
  const [isEnded, setEnded] = useState(false)
  const replay = useRead<RulesReplay>(
    path,
    { org_id },
    { refresh_ms: isEnded ? false : REFRESH_MS },
  )
  const hasEnded = replay.data !== undefined && !isUnderWay(replay.data)
  if (hasEnded !== isEnded) setEnded(hasEnded)
  const rules = useRules()
  return (
    <Page
      title="Replay"
      up={{ to: '/rules/replays', label: 'Replays' }}
      lead={replay.data && <Lead replay={replay.data} />}
    >
      <Shown read={replay} what="the replay">
        {(one) => (
          <Shown read={rules} what="the rules">
            {(known) => <Replay replay={one} rules={known} />}
          </Shown>
        )}
      </Shown>
    </Page>
  )
}

function Lead({ replay }: { replay: RulesReplay }) {
  return (
    <>
      Orders from <Time at={replay.from} as="day" /> until <Time at={replay.to} as="day" />, asked{' '}
      <Time at={replay.created_at} as="age" /> by {replay.created_by_email ?? replay.created_by}{' '}
      <StateBadge state={replay.state} />
    </>
  )
}

function Replay({ replay, rules }: { replay: RulesReplay; rules: RulesShown }) {
  const mode = useMode()
  // What was tried on test orders says nothing of live ones, nor is it beside their rules.
  const isOther = replay.mode !== mode
  const compared = isOther ? {} : rules.overrides
  const changes = changesBetween(rules.sections, compared, replay.overrides)
  return (
    <>
      {isUnderWay(replay) && <UnderWay replay={replay} />}
      {replay.state === 'cancelled' && (
        <Notice>
          It was cancelled. Start it again from the <PageLink to="/rules">draft</PageLink>.
        </Notice>
      )}
      {replay.fault !== null && <Notice tone="bad">{replay.fault}</Notice>}
      {isOther && (
        <Notice tone="warn">
          These are {replay.mode} orders. Choose {replay.mode} data at the top to apply the draft.
        </Notice>
      )}
      {replay.result && <ReplayOutcome result={replay.result} />}
      <Section
        title="The draft that was replayed"
        actions={
          !isOther && <WhatNext replay={replay} rules={rules} isSame={changes.length === 0} />
        }
      >
        {changes.length === 0 ? (
          <p class="muted">
            {isOther ? 'These are the defaults.' : 'These are the rules that are in force now.'}
          </p>
        ) : (
          <Changes
            label={`The draft beside the ${isOther ? 'defaults' : 'rules in force'}`}
            changes={changes}
            labels={[isOther ? 'Default' : 'In force', 'Draft']}
          />
        )}
      </Section>
    </>
  )
}

function UnderWay({ replay }: { replay: RulesReplay }) {
  const { id: org_id } = useOrg()
  const cancel = useChange<void, RulesReplay>(
    () => ({
      method: 'POST',
      path: `${RULES_PATH}/replays/${replay.id}/cancel`,
      body: { org_id },
    }),
    { changes: [RULES_PATH] },
  )
  return (
    <Section
      title={replay.state === 'queued' ? 'It waits for its turn' : 'Orders are scored again'}
      actions={
        <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel the replay
        </Button>
      }
    >
      <ReplayProgress {...replay.progress} />
    </Section>
  )
}

function ReplayProgress({ orders, of, until }: RulesReplay['progress']) {
  if (of === null) return <Progress label="Nothing was read yet" />
  const upTo = until === null ? '' : `, up to ${dayText(new Date(until))}`
  return (
    <Progress
      label={`${numberText(orders)} of ${numberText(of)} orders${upTo}`}
      value={orders}
      max={Math.max(1, of)}
    />
  )
}

function WhatNext({
  replay,
  rules,
  isSame,
}: {
  replay: RulesReplay
  rules: RulesShown
  isSame: boolean
}) {
  const { is_admin } = useOrg()
  const mode = useMode()
  const go = useGo()
  const takeDraft = useTakeDraft()
  const [isApplying, setApplying] = useState(false)
  const edit = () => {
    takeDraft(rules.sections, replay.overrides)
    go('/rules')
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
          onDone={() => {
            setApplying(false)
            takeDraft(rules.sections, rules.overrides)
          }}
          onClose={() => setApplying(false)}
        />
      )}
    </>
  )
}
