/** Two talking bubbles, as people know them. */
export function WeChatMark() {
  return (
    <svg className="wechat-mark" viewBox="0 0 24 24" aria-hidden="true">
      <path
        fillRule="evenodd"
        d="M9 3.5C4.9 3.5 1.6 6.2 1.6 9.6c0 1.9 1.1 3.6 2.8 4.7l-.7 2.2 2.6-1.3c.8.2 1.7.4 2.7.4h.5a5.4 5.4 0 0 1-.2-1.5c0-3.2 3.1-5.8 6.9-5.8h.1C15.6 5.6 12.6 3.5 9 3.5zM6.6 8.6a.95.95 0 1 1 0-1.9.95.95 0 0 1 0 1.9zm4.8 0a.95.95 0 1 1 0-1.9.95.95 0 0 1 0 1.9z"
      />
      <path
        fillRule="evenodd"
        d="M16.4 9.7c-3.4 0-6 2.2-6 4.9s2.6 4.9 6 4.9c.7 0 1.4-.1 2-.3l2.2 1.1-.6-1.9c1.5-.9 2.4-2.3 2.4-3.8 0-2.7-2.6-4.9-6-4.9zm-2 4.1a.8.8 0 1 1 0-1.6.8.8 0 0 1 0 1.6zm4 0a.8.8 0 1 1 0-1.6.8.8 0 0 1 0 1.6z"
      />
    </svg>
  )
}
