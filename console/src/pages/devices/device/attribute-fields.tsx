import { useContext } from 'preact/hooks'
import { FormErrorContext } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Button, SelectField, TextField } from '../../../components/index.ts'
import styles from './attribute-fields.module.css'
import { type Attribute, withNew } from './attributes.ts'

type Props = {
  attributes: readonly Attribute[]
  faults: ReadonlyMap<number, string>
  onChange: (attributes: readonly Attribute[]) => void
}

const KINDS = [
  { value: 'text', label: 'Text' },
  { value: 'json', label: 'JSON' },
] as const

export function AttributeFields({ attributes, faults, onChange }: Props) {
  const error = useContext(FormErrorContext)
  const change = (key: number, changed: Partial<Attribute>) =>
    onChange(attributes.map((each) => (each.key === key ? { ...each, ...changed } : each)))
  return (
    <fieldset class={styles['attributes']}>
      <legend>Custom attributes</legend>
      {attributes.map((attribute, index) => {
        const { key, name, kind, value } = attribute
        const fault = faults.get(key)
        return (
          <div key={key} class={styles['attribute']}>
            <TextField
              label={`Name of attribute ${index + 1}`}
              hideLabel
              placeholder="Name"
              value={name}
              onChange={(next) => change(key, { name: next })}
            />
            <SelectField
              label={`Type of attribute ${index + 1}`}
              hideLabel
              value={kind}
              options={KINDS}
              onChange={(next) => change(key, { kind: next })}
            />
            <TextField
              label={`Value of attribute ${index + 1}`}
              hideLabel
              placeholder="Value"
              value={value}
              onChange={(next) => change(key, { value: next })}
            />
            <Button
              kind="quiet"
              aria-label={`Remove attribute ${index + 1}`}
              onClick={() => onChange(attributes.filter((each) => each.key !== key))}
            >
              <Icon sign="close" />
            </Button>
            {fault !== undefined && (
              <p class="field-fault" role="status">
                {fault}
              </p>
            )}
          </div>
        )
      })}
      {error?.field?.startsWith('custom_attributes') === true && (
        <p class="field-fault">{error.message}</p>
      )}
      <div>
        <Button size="small" onClick={() => onChange(withNew(attributes))}>
          Add attribute
        </Button>
      </div>
    </fieldset>
  )
}
