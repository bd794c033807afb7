export function Brand() {
  return (
    <span class="brand">
      <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="var(--accent)" />
        <path
          d="M5 16c3-5 7-7.5 11-7.5S24 11 27 16c-3 5-7 7.5-11 7.5S8 21 5 16Z"
          fill="none"
          stroke="var(--on-accent)"
          stroke-width="2.4"
        />
        <circle cx="16" cy="16" r="4" fill="var(--on-accent)" />
      </svg>
      Vigil
    </span>
  )
}
