/** What can be done with the devices that were chosen from a list: put them into a group. */
import { useState } from 'preact/hooks'
import type { Group } from '../../../../../src/modules/mdm/groups/schema.ts'
import { useChange } from '../../../api/read.ts'
import { Button, Form, numberText, Section, SelectField } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { CHANGED, useNames } from '../names.ts'
import styles from './assignment.module.css'

type Props = {
  chosen: readonly string[]
  /** The only one that they can be put into. */
  group_id?: string
  /** Also when the choice was only dropped. */
  onDone: (isAssigned: boolean) => void
}

export function Assignment({ chosen, group_id, onDone }: Props) {
  const { id: org_id } = useOrg()
  const names = useNames()
  const [to, setTo] = useState(group_id ?? '')
  const assign = useChange<void, Group>(
    () => ({
      method: 'POST',
      path: `/v1/mdm/groups/${to}/devices`,
      query: { org_id },
      body: { device_ids: chosen },
    }),
    {
      quiet: true,
      changes: CHANGED,
      done: ({ name }) => `${numberText(chosen.length)} devices are in ${name}`,
      onDone: () => onDone(true),
    },
  )
  const options = [
    { value: '', label: 'Choose a group' },
    ...names.groups.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return (
    <Section title="Chosen devices" hideTitle>
      <Form onSubmit={() => assign.mutate()} error={assign.error}>
        <div class={styles['line']}>
          <strong aria-live="polite">{numberText(chosen.length)} chosen</strong>
          {group_id === undefined && (
            <SelectField label="Group" hideLabel value={to} options={options} onChange={setTo} />
          )}
          <Button type="submit" kind="primary" busy={assign.isPending} disabled={to === ''}>
            {group_id === undefined ? 'Assign to group' : 'Assign to this group'}
          </Button>
          <Button onClick={() => onDone(false)}>Clear choice</Button>
          <span class="muted">
            They leave the group that they are in, and get the policy of this one.
          </span>
        </div>
      </Form>
    </Section>
  )
}
