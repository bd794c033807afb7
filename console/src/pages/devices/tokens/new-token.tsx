import { useState } from 'preact/hooks'
import type { CreateToken, Token } from '../../../../../src/modules/mdm/tokens/schema.ts'
import { useChange } from '../../../api/read.ts'
import {
  Actions,
  Button,
  CheckField,
  Dialog,
  Empty,
  Form,
  SelectField,
  TextField,
} from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { CHANGED, useNames } from '../names.ts'
import { words } from '../words.ts'

/** In hours; a week is what the service takes when nothing is said. */
const UNITS = [
  { value: '1', label: 'hours' },
  { value: '24', label: 'days' },
  { value: '168', label: 'weeks' },
] as const
type Unit = (typeof UNITS)[number]['value']

export function NewTokenDialog({
  onDone,
  onClose,
}: {
  onDone: (token: Token) => void
  onClose: () => void
}) {
  const { id: org_id } = useOrg()
  const { policies } = useNames()
  const [policyId, setPolicyId] = useState('')
  const [length, setLength] = useState('7')
  const [unit, setUnit] = useState<Unit>('24')
  const [isOnce, setOnce] = useState(false)
  const policy_id = policyId || (policies[0]?.id ?? '')
  const create = useChange<CreateToken, Token>(
    (body) => ({ method: 'POST', path: '/v1/mdm/enrollment-tokens', query: { org_id }, body }),
    { quiet: true, changes: CHANGED, done: 'Enrolment token created', onDone },
  )
  if (policies.length === 0) {
    return (
      <Dialog title="New enrolment token" onClose={onClose}>
        <Empty title="There is no policy yet">
          <p>
            A token belongs to a policy: write a <PageLink to="/devices/policies">policy</PageLink>{' '}
            first.
          </p>
        </Empty>
      </Dialog>
    )
  }
  return (
    <Dialog title="New enrolment token" onClose={onClose}>
      <Form
        onSubmit={() =>
          create.mutate({
            policy_id,
            duration_hours: Number(length) * Number(unit),
            one_time: isOnce,
          })
        }
        error={create.error}
      >
        <SelectField
          label="Policy"
          name="policy_id"
          hint="It decides in which mode devices are managed."
          value={policy_id}
          options={policies.map(({ id, name, management_mode }) => ({
            value: id,
            label: `${name} (${words(management_mode)})`,
          }))}
          onChange={setPolicyId}
        />
        <div class="row">
          <TextField
            label="Valid for"
            name="duration_hours"
            type="number"
            min="0"
            step="any"
            required
            value={length}
            onInput={setLength}
          />
          <SelectField label="Unit" value={unit} options={UNITS} onChange={setUnit} />
        </div>
        <CheckField
          label="For one device only"
          name="one_time"
          hint="There is no way to end a token early."
          checked={isOnce}
          onChange={setOnce}
        />
        <Actions>
          <Button type="submit" kind="primary" busy={create.isPending}>
            Create token
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
