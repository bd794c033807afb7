import type { Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import { fieldsOf, SelectField, TextField } from '../../../components/index.ts'
import { MODES } from '../terms.ts'

export type Fields = Pick<Policy, 'name' | 'description' | 'management_mode'>
type Props = { fields: Fields; onChange: (changed: Partial<Fields>) => void; isReadOnly?: boolean }

export function PolicyFields({ fields, onChange, isReadOnly = false }: Props) {
  const field = fieldsOf(fields, onChange)
  return (
    <>
      <TextField label="Name" {...field('name')} required readOnly={isReadOnly} />
      <TextField label="Description" {...field('description')} readOnly={isReadOnly} />
      <SelectField
        label="Mode"
        {...field('management_mode')}
        hint="The mode can be changed while no token, group or device uses the policy."
        disabled={isReadOnly}
        options={MODES}
      />
    </>
  )
}
