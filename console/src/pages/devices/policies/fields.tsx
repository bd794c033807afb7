/** What a policy has beside its JSON. */
import type { Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import { SelectField, TextField } from '../../../components/index.ts'
import { MODES } from '../words.ts'

type Fields = Pick<Policy, 'name' | 'description' | 'management_mode'>
type Props = { fields: Fields; onChange: (changed: Partial<Fields>) => void; isReadOnly?: boolean }

export function PolicyFields({ fields, onChange, isReadOnly = false }: Props) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        required
        readOnly={isReadOnly}
        value={fields.name}
        onInput={(name) => onChange({ name })}
      />
      <TextField
        label="Description"
        name="description"
        readOnly={isReadOnly}
        value={fields.description}
        onInput={(description) => onChange({ description })}
      />
      <SelectField
        label="Mode"
        name="management_mode"
        hint="It can be changed as long as no token, group or device uses the policy."
        disabled={isReadOnly}
        value={fields.management_mode}
        options={MODES}
        onChange={(management_mode) => onChange({ management_mode })}
      />
    </>
  )
}
