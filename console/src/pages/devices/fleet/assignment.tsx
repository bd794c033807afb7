import { useState } from 'preact/hooks'
import type { Group } from '../../../../../src/modules/mdm/groups/schema.ts'
import {
  Button,
  countText,
  Form,
  numberText,
  Section,
  SelectField,
} from '../../../components/index.ts'
import { useMdmChange, useNames } from '../names.ts'
import styles from './assignment.module.css'

type Props = {
  selected: readonly string[]
  /** The group, unless the user selects it. */
  group_id?: string
  /** Called after the assignment and when the selection is cleared. */
  onClose: (isAssigned: boolean) => void
}

export function Assignment({ selected, group_id, onClose }: Props) {
  const { groupOptions } = useNames()
  const [target, setTarget] = useState(group_id ?? '')
  const path = `/v1/mdm/groups/${target}/devices`
  const assign = useMdmChange<void, Group>(
    () => ({ method: 'POST', path, body: { device_ids: selected } }),
    {
      toast: ({ name }) => `${countText(selected.length, 'devices')} assigned to ${name}`,
      onSuccess: () => onClose(true),
    },
  )
  return (
    <Section title="Selected devices" hideTitle>
      <Form onSubmit={() => assign.mutate()} error={assign.error}>
        <div class={styles['line']}>
          <strong aria-live="polite">{numberText(selected.length)} selected</strong>
          {group_id === undefined && (
            <SelectField
              label="Group"
              hideLabel
              value={target}
              options={[{ value: '', label: 'Select a group' }, ...groupOptions]}
              onChange={setTarget}
            />
          )}
          <Button type="submit" kind="primary" busy={assign.isPending} disabled={target === ''}>
            {group_id === undefined ? 'Assign to group' : 'Assign to this group'}
          </Button>
          <Button onClick={() => onClose(false)}>Clear selection</Button>
          <span class="muted">
            Devices leave their current group and get the policy of the new one.
          </span>
        </div>
      </Form>
    </Section>
  )
}
