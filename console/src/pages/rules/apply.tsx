/** Puts rules in force, after it was seen what changes. */
import { useState } from 'preact/hooks'
import type {
  RuleOverrides,
  RulesApplied,
  RulesShown,
} from '../../../../src/modules/orders/rules/schema.ts'
import { useChange } from '../../api/read.ts'
import { Actions, Button, Dialog, Form, TextArea } from '../../components/index.ts'
import { useMode, useOrg } from '../../shell/organization.ts'
import { Changes } from './changes.tsx'
import { changesBetween } from './draft.ts'
import { RULES_PATH } from './use-rules.ts'

const NOTE_MAX_CHARS = 1000

export type ApplyProps = {
  rules: RulesShown
  overrides: RuleOverrides
  /** Of a roll-back: the version that is to be in force again. */
  back_to?: number
  onDone: () => void
  onClose: () => void
}

export function ApplyDialog({ rules, overrides, back_to, onDone, onClose }: ApplyProps) {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const [note, setNote] = useState('')
  const next = rules.version + 1
  const given = { org_id, mode, base_version: rules.version, note }
  const apply = useChange<void, RulesApplied>(
    () =>
      back_to === undefined
        ? { method: 'POST', path: `${RULES_PATH}/apply`, body: { ...given, overrides } }
        : { method: 'POST', path: `${RULES_PATH}/rollback`, body: { ...given, version: back_to } },
    {
      changes: [RULES_PATH],
      done: ({ version }) => `Version ${version} is in force`,
      onDone,
      quiet: true,
    },
  )
  const changes = changesBetween(rules.sections, rules.overrides, overrides)
  const title =
    back_to === undefined
      ? `Apply as version ${next}`
      : back_to === 0
        ? 'Roll back to the defaults'
        : `Roll back to version ${back_to}`
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={() => apply.mutate()} error={apply.error}>
        <p>
          Orders of {mode} data are scored by these rules from now on, on other nodes within two
          seconds. Orders that are stored keep their scores. It can be rolled back at any time.
        </p>
        <Changes label="What changes" changes={changes} labels={['In force', 'Then']} />
        <TextArea
          label="Note"
          name="note"
          hint="Why, for those who look at it later"
          value={note}
          onInput={setNote}
          maxLength={NOTE_MAX_CHARS}
          rows={2}
        />
        <Actions>
          <Button
            type="submit"
            kind="primary"
            busy={apply.isPending}
            disabled={changes.length === 0}
          >
            {back_to === undefined ? 'Apply' : 'Roll back'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
        {changes.length === 0 && <p class="muted">These rules are in force already.</p>}
      </Form>
    </Dialog>
  )
}

/** Why somebody may not, beside the button that he cannot press. */
export function AdminsOnly() {
  return <span class="muted">Owners and admins apply rules.</span>
}
