/** A group, made or changed: its name and the policy that its devices get. */
import { useState } from 'preact/hooks'
import type { Group } from '../../../../../src/modules/mdm/groups/schema.ts'
import { useChange } from '../../../api/read.ts'
import { Actions, Button, Dialog, Form, SelectField, TextField } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { CHANGED, useNames } from '../names.ts'
import { words } from '../words.ts'

type Props = { group?: Group; onDone: (group: Group) => void; onClose: () => void }

export function GroupDialog({ group, onDone, onClose }: Props) {
  const { id: org_id } = useOrg()
  const names = useNames()
  const [name, setName] = useState(group?.name ?? '')
  const [policyId, setPolicyId] = useState(group?.policy_id ?? '')
  const policy_id = policyId === '' ? null : policyId
  const save = useChange<void, Group>(
    () =>
      group
        ? {
            method: 'PATCH',
            path: `/v1/mdm/groups/${group.id}`,
            query: { org_id },
            // What was not touched is left as others may have changed it.
            body: {
              ...(name !== group.name && { name }),
              ...(policy_id !== group.policy_id && { policy_id }),
            },
          }
        : { method: 'POST', path: '/v1/mdm/groups', query: { org_id }, body: { name, policy_id } },
    {
      quiet: true,
      changes: CHANGED,
      done: group ? 'Group updated' : 'Group created',
      onDone,
    },
  )
  return (
    <Dialog title={group ? 'Edit group' : 'New group'} onClose={onClose}>
      <Form onSubmit={() => save.mutate()} error={save.error}>
        <TextField label="Name" name="name" value={name} onInput={setName} required />
        <SelectField
          label="Policy"
          name="policy_id"
          hint="Devices of a group without a policy have the one that they enrolled with."
          value={policyId}
          options={[
            { value: '', label: 'None' },
            ...names.policies.map((policy) => ({
              value: policy.id,
              label: `${policy.name} (${words(policy.management_mode)})`,
            })),
          ]}
          onChange={setPolicyId}
        />
        <Actions>
          <Button type="submit" kind="primary" busy={save.isPending}>
            {group ? 'Save' : 'Create group'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
