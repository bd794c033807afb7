/** A draft of the rules with its changes: discard it, replay it, or apply it. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type {
  CustomRule,
  RuleOverrides,
  RulesShown,
} from '../../../../src/modules/orders/rules/schema.ts'
import { Button, Section } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { AdminsOnly, ApplyDialog } from './apply.tsx'
import styles from './rules.module.css'
import { StartReplay } from './start-replay.tsx'
import { useIsReplayed } from './use-rules.ts'

type DraftFrameProps = {
  /** The active rules. */
  rules: RulesShown
  overrides: RuleOverrides
  custom_rules: readonly CustomRule[]
  onDiscard: () => void
  /** The changes of the draft. */
  children: ComponentChildren
}

export function DraftFrame(props: DraftFrameProps) {
  const { rules, overrides, custom_rules, onDiscard, children } = props
  const { is_admin } = useOrg()
  const [isApplying, setApplying] = useState(false)
  const isReplayed = useIsReplayed(rules, overrides, custom_rules)
  return (
    <>
      <Section
        title="Draft"
        actions={
          <>
            <Button onClick={onDiscard}>Discard</Button>
            <Button disabled={!is_admin} onClick={() => setApplying(true)}>
              Apply…
            </Button>
            {!is_admin && <AdminsOnly />}
          </>
        }
      >
        <p class={styles['note']}>The draft stays in this browser until you apply or discard it.</p>
        {children}
      </Section>
      <StartReplay overrides={overrides} custom_rules={custom_rules} />
      {isApplying && (
        <ApplyDialog
          rules={rules}
          overrides={overrides}
          custom_rules={custom_rules}
          is_unreplayed={!isReplayed}
          onDone={() => {
            setApplying(false)
            onDiscard()
          }}
          onClose={() => setApplying(false)}
        />
      )}
    </>
  )
}
