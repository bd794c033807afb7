import type { Group } from '../../../../../src/modules/mdm/groups/schema.ts'
import { FormDialog, SelectField, TextField, useFields } from '../../../components/index.ts'
import { useMdmChange, useNames } from '../names.ts'

type Props = { group?: Group; onSaved: (group: Group) => void; onClose: () => void }

export function GroupDialog({ group, onSaved, onClose }: Props) {
  const { policyOptions } = useNames()
  const { values, field } = useFields({
    name: group?.name ?? '',
    policy_id: group?.policy_id ?? '',
  })
  const { name } = values
  const policy_id = values.policy_id || null
  const save = useMdmChange<void, Group>(
    () =>
      group
        ? {
            method: 'PATCH',
            path: `/v1/mdm/groups/${group.id}`,
            // Unedited fields are not sent, so that changes by others are not reverted.
            body: {
              ...(name !== group.name && { name }),
              ...(policy_id !== group.policy_id && { policy_id }),
            },
          }
        : { method: 'POST', path: '/v1/mdm/groups', body: { name, policy_id } },
    { toast: group ? 'Group updated' : 'Group created', onSuccess: onSaved },
  )
  return (
    <FormDialog
      title={group ? 'Edit group' : 'New group'}
      action={group ? 'Save' : 'Create group'}
      change={save}
      onClose={onClose}
    >
      <TextField label="Name" {...field('name')} required />
      <SelectField
        label="Policy"
        {...field('policy_id')}
        hint="Without a policy, devices use the policy of their enrollment."
        options={[{ value: '', label: 'None' }, ...policyOptions]}
      />
    </FormDialog>
  )
}
