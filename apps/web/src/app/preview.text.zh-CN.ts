/** What the preview says where there is nothing around it. */
export const previewZhCN = { alone: '此页面用于预览，请在管理后台的「配置」中查看' }
