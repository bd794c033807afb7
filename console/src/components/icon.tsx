/** Signs of buttons, drawn in lines of one width on 20 by 20 units. Fonts draw sign characters differently, or not at all. */

const SIGNS = {
  menu: 'M3 5h14M3 10h14M3 15h14',
  search: 'M8.5 3a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11M12.5 12.5l5 5',
  close: 'M5 5l10 10M15 5L5 15',
  copy: 'M7 7h10v10H7zM13 7V3H3v10h4',
  done: 'M4 10.5l4 4 8-9',
  open: 'M10 4a6 6 0 1 1 0 12a6 6 0 0 1 0-12',
  minus: 'M4 10h12',
  forward: 'M3 10h14M12 5l5 5-5 5',
  now: 'M7 4l7 6-7 6z',
  back: 'M17 10H3M8 5l-5 5 5 5',
  up: 'M10 17V3M5 8l5-5 5 5',
  down: 'M10 3v14M5 12l5 5 5-5',
  sortable: 'M6 8l4-4 4 4M6 12l4 4 4-4',
  system: 'M3 4h14v9H3zM7 17h6M10 13v4',
  dark: 'M16.5 12A7 7 0 1 1 8 3.5a5.5 5.5 0 0 0 8.5 8.5z',
  light:
    'M10 6.5a3.5 3.5 0 1 1 0 7a3.5 3.5 0 0 1 0-7M10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6L16 16M16 4l-1.4 1.4M4 16l1.4-1.4',
} as const

export type Sign = keyof typeof SIGNS

/** A sign without a name: the words around it say the same. */
export const Icon = ({ sign }: { sign: Sign }) => <LineDrawing path={SIGNS[sign]} class="icon" />

type DrawingProps = { path: string; class: string }

export const LineDrawing = ({ path, class: name }: DrawingProps) => (
  <svg class={name} viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
    <path
      d={path}
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
)
