/** Form fields with their label, hint and fault. Faults of the service find them by `name`. */
import type { ComponentChildren, JSX } from 'preact'
import { useContext, useId } from 'preact/hooks'
import { FormErrorContext } from './form.tsx'

type Common = {
  label: string
  /** As the service names it in errors. */
  name?: string
  hint?: ComponentChildren
  /** Seen by screen readers only, where the place says what it is. */
  hideLabel?: boolean
}

type Native<Tag extends 'input' | 'select' | 'textarea'> = Omit<
  JSX.IntrinsicElements[Tag],
  | 'ref'
  | 'onInput'
  | 'onChange'
  | 'value'
  | 'label'
  | 'name'
  | 'children'
  | 'role'
  | 'type'
  | 'size'
>

type InputType =
  | 'text'
  | 'email'
  | 'password'
  | 'search'
  | 'number'
  | 'url'
  | 'date'
  | 'time'
  | 'month'
  | 'datetime-local'

/** What the service said about the field, if its last answer was about it. */
function useFault(name: string | undefined): string | undefined {
  const error = useContext(FormErrorContext)
  return name !== undefined && error?.field === name ? error.message : undefined
}

function Frame({
  id,
  label,
  hint,
  fault,
  hideLabel = false,
  children,
}: Omit<Common, 'name'> & {
  id: string
  fault: string | undefined
  children: ComponentChildren
}) {
  return (
    <div class="field">
      <label for={id} class={hideLabel ? 'visually-hidden' : 'field-label'}>
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p class="field-fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}

const described = (id: string, hint: unknown, fault: string | undefined) => ({
  id,
  'aria-invalid': fault !== undefined,
  'aria-describedby':
    [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`]
      .filter(Boolean)
      .join(' ') || undefined,
})

export type TextFieldProps = Common &
  Native<'input'> & { type?: InputType; value: string; onInput: (value: string) => void }

export function TextField({
  label,
  name,
  hint,
  hideLabel,
  value,
  onInput,
  type = 'text',
  ...rest
}: TextFieldProps) {
  const id = useId()
  const fault = useFault(name)
  return (
    <Frame {...{ id, label, hint, fault, ...(hideLabel && { hideLabel }) }}>
      <input
        {...(rest as object)}
        {...described(id, hint, fault)}
        type={type as 'text'}
        name={name}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Frame>
  )
}

export type TextAreaProps = Common &
  Native<'textarea'> & { value: string; onInput: (value: string) => void }

export function TextArea({ label, name, hint, hideLabel, value, onInput, ...rest }: TextAreaProps) {
  const id = useId()
  const fault = useFault(name)
  return (
    <Frame {...{ id, label, hint, fault, ...(hideLabel && { hideLabel }) }}>
      <textarea
        rows={4}
        {...(rest as object)}
        {...described(id, hint, fault)}
        name={name}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Frame>
  )
}

export type SelectFieldProps<Value extends string> = Common &
  Native<'select'> & {
    value: Value
    /** A text stands for itself. */
    options: readonly (Value | { value: Value; label: string })[]
    onChange: (value: Value) => void
  }

export function SelectField<Value extends string>({
  label,
  name,
  hint,
  hideLabel,
  value,
  options,
  onChange,
  ...rest
}: SelectFieldProps<Value>) {
  const id = useId()
  const fault = useFault(name)
  return (
    <Frame {...{ id, label, hint, fault, ...(hideLabel && { hideLabel }) }}>
      <select
        {...(rest as object)}
        {...described(id, hint, fault)}
        name={name}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value as Value)}
      >
        {options.map((option) => {
          const { value: each, label: text } =
            typeof option === 'string' ? { value: option, label: option } : option
          return (
            <option key={each} value={each} selected={each === value}>
              {text}
            </option>
          )
        })}
      </select>
    </Frame>
  )
}

export type CheckFieldProps = Omit<Common, 'hideLabel'> &
  Native<'input'> & { checked: boolean; onChange: (checked: boolean) => void }

export function CheckField({ label, name, hint, checked, onChange, ...rest }: CheckFieldProps) {
  const id = useId()
  const fault = useFault(name)
  return (
    <div class="field field-check">
      <input
        {...(rest as object)}
        {...described(id, hint, fault)}
        type="checkbox"
        name={name}
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p class="field-fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
