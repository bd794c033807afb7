import { useState } from 'preact/hooks'
import type {
  CustomRule,
  RuleOverrides,
  RulesApplied,
  RulesShown,
} from '../../../../src/modules/orders/rules/schema.ts'
import { useChange } from '../../api/read.ts'
import { CheckField, FormDialog, Notice, TextArea } from '../../components/index.ts'
import { useScope } from '../../shell/organization.ts'
import { Changes, CustomChanges } from './changes.tsx'
import { customChanges } from './custom-draft.ts'
import { changesBetween } from './draft.ts'
import { RULES_PATH } from './use-rules.ts'

const NOTE_MAX_CHARS = 1000

export type ApplyProps = {
  rules: RulesShown
  overrides: RuleOverrides
  /** Those of the active version without it. */
  custom_rules?: readonly CustomRule[]
  /** Set when no finished replay shows what these rules change. */
  is_unreplayed?: boolean
  /** For a roll-back: the version to restore. */
  back_to?: number
  onDone: () => void
  onClose: () => void
}

export function ApplyDialog(props: ApplyProps) {
  const { rules, overrides, is_unreplayed = false, back_to, onDone, onClose } = props
  const { custom_rules = rules.custom_rules } = props
  const scope = useScope()
  const [note, setNote] = useState('')
  const [isSure, setSure] = useState(false)
  const next = rules.version + 1
  const common = { ...scope, base_version: rules.version, note }
  const apply = useChange<void, RulesApplied>(
    () =>
      back_to === undefined
        ? {
            method: 'POST',
            path: `${RULES_PATH}/apply`,
            body: { ...common, overrides, custom_rules },
          }
        : { method: 'POST', path: `${RULES_PATH}/rollback`, body: { ...common, version: back_to } },
    {
      invalidates: [RULES_PATH],
      toast: ({ version }) => `Version ${version} is now active`,
      onSuccess: onDone,
      quiet: true,
    },
  )
  const changes = changesBetween(rules.sections, rules.overrides, overrides)
  const custom = customChanges(rules.custom_rules, custom_rules)
  const isSame = changes.length + custom.length === 0
  const title =
    back_to === undefined
      ? `Apply as version ${next}`
      : back_to === 0
        ? 'Roll back to the defaults'
        : `Roll back to version ${back_to}`
  return (
    <FormDialog
      title={title}
      action={back_to === undefined ? 'Apply' : 'Roll back'}
      change={apply}
      disabled={isSame || (is_unreplayed && !isSure)}
      onClose={onClose}
    >
      <p>
        New {scope.mode} orders are scored with these rules, on all nodes within two seconds, and
        checks and cashier actions with their custom rules. Existing scores stay. You can roll back
        at any time.
      </p>
      {changes.length > 0 && (
        <Changes label="Changes" changes={changes} labels={['Current', 'New']} />
      )}
      <CustomChanges changes={custom} />
      <TextArea
        label="Note"
        name="note"
        hint="The reason for this change, for the version history"
        value={note}
        onChange={setNote}
        maxLength={NOTE_MAX_CHARS}
        rows={2}
      />
      {is_unreplayed && (
        <Notice tone="warn">
          <p>
            No finished replay shows what this draft changes. Replay a month first to see how much
            it flags.
          </p>
          <CheckField label="Apply without a replay" checked={isSure} onChange={setSure} />
        </Notice>
      )}
      {isSame && <p class="muted">These rules are already active.</p>}
    </FormDialog>
  )
}

/** The reason why the apply button is disabled. */
export function AdminsOnly() {
  return <span class="muted">Only owners and admins can apply rules.</span>
}
