//! Answers whose fields stand in the result itself, beside its content.
//!
//! Some servers have sent their facts in this way since before there was structured content, and programs read them
//! there. MCP allows further members in a result; the SDK's type of it has no place for them, so results are made here.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ClientNotification, ClientRequest, CustomResult, ErrorData, ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, Service};
use serde_json::{Map, Value};

use crate::dispatch::Session;

/// A session that puts the fields of answers beside their content.
pub(crate) struct Beside {
    pub(crate) session: Session,
    /// They are sent as structured content, too.
    pub(crate) keeps: bool,
}

/// The members of a result that MCP defines.
const DEFINED: [&str; 5] = ["content", "structuredContent", "isError", "_meta", "resultType"];

impl Beside {
    fn spread(&self, mut result: CallToolResult) -> ServerResult {
        let fields = if self.keeps { result.structured_content.clone() } else { result.structured_content.take() };
        let mut members = match serde_json::to_value(&result) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        };
        if let Some(Value::Object(fields)) = fields {
            members.extend(fields.into_iter().filter(|(name, _)| !DEFINED.contains(&name.as_str())));
        }
        ServerResult::CustomResult(CustomResult(Value::Object(members)))
    }
}

impl Service<RoleServer> for Beside {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        Ok(match self.session.handle_request(request, context).await? {
            ServerResult::CallToolResult(result) => self.spread(result),
            other => other,
        })
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        Service::get_info(&self.session)
    }
}
