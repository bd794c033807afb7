/** Form fields with label, hint and error. Errors of the service find their field by `name`. */
import type { ComponentChildren, JSX } from 'preact'
import { useContext, useId } from 'preact/hooks'
import { FormErrorContext } from './form.tsx'

type Common = {
  label: string
  /** Field name that the service uses in errors. */
  name?: string
  hint?: ComponentChildren
  /** For screen readers only, where the context makes the field clear. */
  hideLabel?: boolean
}

type Native<Tag extends 'input' | 'select' | 'textarea'> = Omit<
  JSX.IntrinsicElements[Tag],
  keyof Common | 'ref' | 'onInput' | 'onChange' | 'value' | 'children' | 'role' | 'type' | 'size'
>

type InputType = 'email' | 'password' | 'search' | 'number' | 'url' | 'date' | 'datetime-local'

type FrameProps = { [Name in keyof Common]: Common[Name] | undefined } & {
  /** Places the label behind the field. */
  isCheck?: boolean
  /** Receives the attributes that connect the field with its texts. */
  children: (attributes: object) => ComponentChildren
}

function Frame({ label, name, hint, hideLabel, isCheck, children }: FrameProps) {
  const id = useId()
  const error = useContext(FormErrorContext)
  // The error of the last response, if it was about this field.
  const fault = name !== undefined && error?.field === name ? error.message : undefined
  const described = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`]
  const field = children({
    id,
    name,
    'aria-invalid': fault !== undefined,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
  })
  const labelClass = hideLabel ? 'visually-hidden' : isCheck ? undefined : 'field-label'
  return (
    <div class={isCheck ? 'field field-check' : 'field'}>
      {isCheck && field}
      <label for={id} class={labelClass}>
        {label}
      </label>
      {!isCheck && field}
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

export type TextFieldProps = Common &
  Native<'input'> & { type?: InputType; value: string; onChange: (value: string) => void }

export function TextField(props: TextFieldProps) {
  const { label, name, hint, hideLabel, onChange, type = 'text', ...rest } = props
  return (
    <Frame {...{ label, name, hint, hideLabel }}>
      {(attributes) => (
        <input
          {...(rest as object)}
          {...attributes}
          type={type as 'text'}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Frame>
  )
}

export type TextAreaProps = Common &
  Native<'textarea'> & { value: string; onChange: (value: string) => void }

export function TextArea(props: TextAreaProps) {
  const { label, name, hint, hideLabel, onChange, ...rest } = props
  return (
    <Frame {...{ label, name, hint, hideLabel }}>
      {(attributes) => (
        <textarea
          rows={4}
          {...(rest as object)}
          {...attributes}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Frame>
  )
}

/** A plain text is both value and label. */
export type Option<Value extends string = string> = Value | { value: Value; label: string }

export type SelectFieldProps<Value extends string> = Common &
  Native<'select'> & {
    value: Value
    options: readonly Option<Value>[]
    onChange: (value: Value) => void
  }

export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, name, hint, hideLabel, value, options, onChange, ...rest } = props
  return (
    <Frame {...{ label, name, hint, hideLabel }}>
      {(attributes) => (
        <span class="select">
          <select
            {...(rest as object)}
            {...attributes}
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
        </span>
      )}
    </Frame>
  )
}

export type CheckFieldProps = Omit<Common, 'hideLabel'> &
  Native<'input'> & { checked: boolean; onChange: (checked: boolean) => void }

export function CheckField({ label, name, hint, onChange, ...rest }: CheckFieldProps) {
  return (
    <Frame {...{ label, name, hint }} isCheck>
      {(attributes) => (
        <input
          {...(rest as object)}
          {...attributes}
          type="checkbox"
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )}
    </Frame>
  )
}
