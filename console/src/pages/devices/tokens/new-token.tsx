import { useState } from 'preact/hooks'
import type { CreateToken, Token } from '../../../../../src/modules/mdm/tokens/schema.ts'
import {
  CheckField,
  Dialog,
  Empty,
  FormDialog,
  SelectField,
  TextField,
  useFields,
} from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useMdmChange, useNames } from '../names.ts'

/** In hours. */
const UNITS = [
  { value: '1', label: 'hours' },
  { value: '24', label: 'days' },
  { value: '168', label: 'weeks' },
] as const

type Props = { onCreated: (token: Token) => void; onClose: () => void }

export function NewTokenDialog({ onCreated, onClose }: Props) {
  const { policyOptions } = useNames()
  const { values, field } = useFields({ policy_id: '', duration: '1', unit: '24' })
  const [isOnce, setOnce] = useState(true)
  const policy_id = values.policy_id || (policyOptions[0]?.value ?? '')
  const create = useMdmChange<void, Token>(
    () => ({
      method: 'POST',
      path: '/v1/mdm/enrollment-tokens',
      body: {
        policy_id,
        duration_hours: Number(values.duration) * Number(values.unit),
        one_time: isOnce,
      } satisfies CreateToken,
    }),
    { toast: 'Enrollment token created', onSuccess: onCreated },
  )
  if (policyOptions.length === 0) {
    return (
      <Dialog title="New enrollment token" onClose={onClose}>
        <Empty title="No policies yet">
          <PolicyFirst />
        </Empty>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title="New enrollment token"
      action="Create token"
      change={create}
      onClose={onClose}
    >
      <SelectField
        label="Policy"
        hint="The policy determines the management mode of the devices."
        {...field('policy_id')}
        value={policy_id}
        options={policyOptions}
      />
      <div class="row">
        <TextField
          label="Valid for"
          {...field('duration')}
          name="duration_hours"
          type="number"
          min="0"
          step="any"
          required
        />
        <SelectField label="Unit" {...field('unit')} options={UNITS} />
      </div>
      <CheckField label="For one device only" name="one_time" checked={isOnce} onChange={setOnce} />
    </FormDialog>
  )
}

export const PolicyFirst = () => (
  <p>
    A token belongs to a policy. Create a <PageLink to="/devices/policies">policy</PageLink> first.
  </p>
)
