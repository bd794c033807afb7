import type { ComponentChildren, JSX } from 'preact'

export type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'ref' | 'size' | 'class'> & {
  class?: string
  /** `primary` once per view, `danger` for irreversible actions, `quiet` inside tables. */
  kind?: 'primary' | 'plain' | 'danger' | 'quiet'
  size?: 'normal' | 'small'
  /** The action is running: the button is disabled and shows a spinner. */
  busy?: boolean
  children: ComponentChildren
}

export function Button({
  kind = 'plain',
  size = 'normal',
  busy = false,
  type = 'button',
  class: extra,
  disabled,
  children,
  ...rest
}: ButtonProps) {
  const classes = ['button', `button-${kind}`, `button-${size}`, extra]
  return (
    <button
      {...rest}
      type={type}
      class={classes.filter(Boolean).join(' ')}
      disabled={busy || disabled}
      aria-busy={busy}
    >
      {busy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}
