export const mcpPath = '/mcp'
